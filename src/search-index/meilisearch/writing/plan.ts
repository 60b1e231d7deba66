/** What a list of changes comes to, record by record: the rules of versions, in memory. */

import type { Document, IndexChange } from '../../search-index.ts'
import type { Answering, Held } from '../settings/answering.ts'
import type { Versions } from './stored-versions.ts'

/** The last state of a record in an index. */
export type Final =
  | { readonly document: Document; readonly version: number }
  | { readonly removed: number }

/** One index that is written to, what is stored in it, and what is to become of it. */
export class Plan {
  readonly held: Held
  readonly finals = new Map<string, Final>()
  readonly #versions: Versions

  constructor(held: Held, versions: Versions) {
    this.held = held
    this.#versions = versions
  }

  version(id: string): number | undefined {
    return this.#versions.get(id)
  }

  /** A version that is not newer than the stored one changes nothing, unless it is made again. */
  apply(id: string, { document, version, again }: Step): void {
    const stored = this.#versions.get(id)
    if (stored !== undefined && stored >= version && !again) return
    const now = Math.max(stored ?? 0, version)
    this.#versions.set(id, now)
    this.finals.set(id, document ? { document, version: now } : { removed: now })
  }
}

type Step = {
  /** Absent = the record goes. */
  readonly document?: Document
  readonly version: number
  /** Made from what is stored: it replaces a version that is not older. */
  readonly again: boolean
}

/** A write goes to all that live, each under its own settings; what only fills goes where the record is missing. */
export function planned(
  change: IndexChange,
  { answering, next, isWhole }: { answering: Plan; next?: Plan | undefined; isWhole: boolean },
): void {
  const given = 'put' in change ? change.put : change.remove
  const stored = answering.version(given.id) ?? 0
  if ('put' in change && change.filling === true) {
    const filled = next ?? (isWhole ? undefined : answering)
    if (!filled || filled.version(given.id) !== undefined) return
    filled.apply(given.id, { document: change.put, version: stored, again: false })
    return
  }
  const again = given.version === 0
  const step = {
    ...('put' in change && { document: change.put }),
    version: again ? stored : given.version,
    again,
  }
  answering.apply(given.id, step)
  next?.apply(given.id, step)
}

/** Record ids by index of Meilisearch. */
export function touched(
  changes: readonly IndexChange[],
  answering: (change: IndexChange) => Answering,
): Map<Held, string[]> {
  const ids = new Map<Held, string[]>()
  const add = (held: Held, id: string) => {
    const list = ids.get(held)
    if (list) list.push(id)
    else ids.set(held, [id])
  }
  for (const change of changes) {
    const { id } = 'put' in change ? change.put : change.remove
    const target = answering(change)
    add(target, id)
    if (target.next) add(target.next, id)
  }
  return ids
}
