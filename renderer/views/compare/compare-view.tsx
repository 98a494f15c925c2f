export function CompareView() {
  return <h1 className="visually-hidden">Compare</h1>
}
