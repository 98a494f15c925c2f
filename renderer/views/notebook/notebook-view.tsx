export function NotebookView() {
  return <h1 className="visually-hidden">Notebook</h1>
}
