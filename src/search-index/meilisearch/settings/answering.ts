/** What readers and writers must know of an index at this moment. */

import type { IndexSettings } from '../../index-settings.ts'
import type { Uids } from '../layout/names.ts'
import type { Generation, Known } from './meta.ts'

/** An index of Meilisearch that holds records, and how they were written. */
export type Held = {
  readonly uid: string
  /** Another one for other documents, whatever the uid. */
  readonly mark: string
  readonly settings: IndexSettings
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
}

export type Answering = Held & {
  /** What is filled beside it, under other settings. */
  readonly next?: Held
  /** False while it has to be filled itself. */
  readonly isWhole: boolean
}

export function answeringOf({ index, answering, next }: Known, uids: Uids): Answering {
  const { isWhole } = answering
  const own = { ...held(answering, uids.of(index)), isWhole }
  return next ? { ...own, next: held(next, uids.next(index)) } : own
}

const held = ({ mark, settings, languages }: Generation, uid: string): Held => ({
  uid,
  mark,
  settings,
  languages,
})
