export function LabView() {
  return <h1 className="visually-hidden">Lab</h1>
}
