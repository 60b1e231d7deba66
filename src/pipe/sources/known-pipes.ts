/** What is known of pipes: the valid ones under their names, the others with what is wrong. */

import { type Complaint, shown } from '../../errors.ts'
import type { Pipe } from '../document.ts'

export type KnownPipe = {
  readonly pipe: Pipe
  /** `pipes`, `resources:<directory>` or `git:<name>`. */
  readonly source: string
  /** Path of the file below its source. */
  readonly file: string
  /** `trusted`: a file of a directory that the operator's configuration names. */
  readonly trust: 'trusted' | 'foreign'
  /** Absolute; scripts and queries stand below it. */
  readonly directory: string
  /** Why it cannot be launched. */
  readonly problems: readonly Complaint[]
}

/** `file` is empty when the source itself cannot be read. */
export type InvalidFile = {
  readonly source: string
  readonly file: string
  readonly problems: readonly Complaint[]
}

/** What one source holds, files in order of their names. */
export type Found = {
  readonly pipes: readonly KnownPipe[]
  readonly invalid: readonly InvalidFile[]
}

export const nothingFound: Found = { pipes: [], invalid: [] }

/** All sources in order of their rank: of a name that is used twice the first one stays, the other is refused. */
export function merged(sources: readonly Found[]): Found {
  const byName = new Map<string, KnownPipe>()
  const invalid = sources.flatMap((found) => found.invalid)
  for (const known of sources.flatMap((found) => found.pipes)) {
    const { name } = known.pipe.header
    const first = byName.get(name)
    if (first) invalid.push({ source: known.source, file: known.file, problems: [taken(first)] })
    else byName.set(name, known)
  }
  const pipes = [...byName.values()].toSorted((a, b) =>
    order(a.pipe.header.name, b.pipe.header.name),
  )
  return { pipes, invalid }
}

export const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const taken = ({ pipe, source, file }: KnownPipe): Complaint => ({
  pointer: '/header/name',
  detail: `${shown(pipe.header.name)} is the name of ${shown(file)} in ${shown(source)} already`,
})

/** By name, else by an id that only one pipe has. */
export function findPipe(pipes: readonly KnownPipe[], nameOrId: string): KnownPipe | undefined {
  const byName = pipes.find(({ pipe }) => pipe.header.name === nameOrId)
  if (byName) return byName
  const byId = pipes.filter(({ pipe }) => pipe.header.id === nameOrId)
  return byId.length === 1 ? byId[0] : undefined
}
