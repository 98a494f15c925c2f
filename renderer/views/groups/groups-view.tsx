export function GroupsView() {
  return <h1 className="visually-hidden">Groups</h1>
}
