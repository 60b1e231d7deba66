/** Names of components in an OpenAPI document: each once, made of allowed characters. */

/** Hands out the first wanted name that is free, else the first with a number behind it. */
export type Naming = (...wanted: readonly string[]) => string

/** `statistical dataset` → `StatisticalDataset` */
const pascal = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** A naming that avoids what is taken already. */
export function naming(taken: Iterable<string>): Naming {
  const used = new Set(taken)
  return (...wanted) => {
    const candidates = wanted.map(pascal).filter((name) => name !== '')
    const [first = 'Record'] = candidates
    let name = candidates.find((candidate) => !used.has(candidate)) ?? first
    for (let number = 2; used.has(name); number++) name = `${first}${number}`
    used.add(name)
    return name
  }
}
