/** Name and version as every report and export carries them; the version is that of package.json (held by a test). */
export const TOOL = { name: 'rollout-inspector', version: '0.1.0' } as const
