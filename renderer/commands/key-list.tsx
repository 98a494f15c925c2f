import { drawKey } from './keys.ts'

export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="keys">
      {keys.map((key) => (
        <kbd key={key}>{drawKey(key)}</kbd>
      ))}
    </span>
  )
}
