/** The only writer of our indices: what is written is searchable when its promise resolves. */

import { Failure } from '../../../errors.ts'
import type { IndexChange } from '../../search-index.ts'
import type { IndexName } from '../../settings.ts'
import { attributes, type Uids } from '../layout/names.ts'
import { keyOf } from '../layout/spelling.ts'
import type { Told } from '../layout/stored.ts'
import { wordsSeen } from '../layout/words.ts'
import type { Answering, Held } from '../settings/answering.ts'
import type { Tasks } from '../wire/tasks.ts'
import type { Wire } from '../wire/wire.ts'
import { facetValuesOf } from './facet-values.ts'
import { largest } from './numbers.ts'
import { Plan, planned, touched } from './plan.ts'
import { postOf, sent, type Post } from './posting.ts'
import { storedVersionsOf, type StoredVersions } from './stored-versions.ts'
import { termsOf } from './terms.ts'

type Deps = {
  readonly wire: Wire
  readonly tasks: Tasks
  readonly uids: Uids
  readonly answering: () => ReadonlyMap<IndexName, Answering>
  /**
   * Told the keys of what is about to be written or removed where searches are answered from, for those who still read what was there; what it answers is called
   * when that has happened or failed.
   */
  readonly before: (uid: string, keys: readonly string[]) => Promise<() => void>
}

export type Writer = {
  readonly versions: StoredVersions
  /** As one: read what is stored, tell the dictionaries, write the records. Not beside another call. */
  write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void>
}

export function writerOf({ wire, tasks, uids, answering, before }: Deps): Writer {
  const versions = storedVersionsOf(wire)
  const terms = termsOf(wire, uids.terms)
  const values = facetValuesOf(wire, uids.facetValues)
  const words = wordsSeen()
  let last: number | undefined

  const find = (change: IndexChange): Answering => {
    const { index } = 'put' in change ? change.put : change.remove
    const found = answering().get(index)
    if (!found) throw new Failure('internal', `The index ${index} is not configured.`)
    return found
  }
  const plansOf = async (changes: readonly IndexChange[], signal?: AbortSignal) => {
    const reads = [...touched(changes, find)].map(
      async ([held, ids]) =>
        [held, new Plan(held, await versions.read(held, ids, signal))] as const,
    )
    const plans = new Map<Held, Plan>(await Promise.all(reads))
    for (const change of changes) {
      const target = find(change)
      const plan = plans.get(target)
      if (!plan) throw new Failure('internal', 'An index changed while it was written to.')
      const next = target.next && plans.get(target.next)
      planned(change, { answering: plan, next, isWhole: target.isWhole })
    }
    return [...plans.values()].filter(({ finals }) => finals.size > 0)
  }
  const next = () => (last = (last ?? 0) + 1)
  const told: Told = {
    learn: (word) => terms.learn(word),
    value: (...value) => values.note(...value),
  }
  const tellDictionaries = async (signal?: AbortSignal) => {
    const begun = await Promise.all([terms.post(signal), values.post(signal)])
    await tasks.done(begun.flat(), signal)
    terms.keep()
    values.keep()
  }
  const sendAll = async (plans: readonly Plan[], posts: readonly Post[], signal?: AbortSignal) => {
    const read = new Set([...answering().values()].map(({ uid }) => uid))
    const seen = plans.filter(({ held }) => read.has(held.uid))
    const told = seen.map(({ held, finals }) => before(held.uid, [...finals.keys()].map(keyOf)))
    const after = await Promise.all(told)
    try {
      const begun = await Promise.all(posts.map((post) => sent(wire, post, signal)))
      await tasks.done(begun.flat(), signal)
    } finally {
      for (const tell of after) tell()
    }
  }
  /** So that an older write that comes late does not bring back what went. */
  const remember = ({ held, finals }: Plan) => {
    for (const [id, final] of finals) {
      if ('removed' in final) versions.removed(held, id, final.removed)
      else versions.present(held, id)
    }
  }

  return {
    versions,
    write: async (changes, signal) => {
      const plans = await plansOf(changes, signal)
      last ??= await largest(wire, allUids(answering()), attributes.number)
      try {
        const posts = plans.map((plan) => postOf(plan, { words, told, next }))
        await tellDictionaries(signal)
        await sendAll(plans, posts, signal)
      } catch (error) {
        terms.forget()
        values.forget()
        throw error
      }
      for (const plan of plans) remember(plan)
    },
  }
}

/** Everything that records are in. */
export const allUids = (answering: ReadonlyMap<IndexName, Answering>): string[] =>
  [...answering.values()].flatMap(({ uid, next }) => (next ? [uid, next.uid] : [uid]))
