/** Files that no run writes as a dump and that every folder is full of. */
export const NOISE = /(^|\/)(\.[^/]*|__MACOSX|node_modules|Thumbs\.db)(\/|$)/
