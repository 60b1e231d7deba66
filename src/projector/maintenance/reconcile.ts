/** Compares (id, hash) of store and index as two ordered streams, and projects again what differs. */

import type { SearchIndex } from '../../search-index/search-index.ts'
import { feed, type Feed } from '../feed.ts'
import type { Hashes, Records } from '../indexed-records.ts'

/** How store and index differ. */
export type Drift = {
  readonly compared: number
  /** In the store and not in the index. */
  readonly missing: number
  /** In both and not the same. */
  readonly stale: number
  /** In the index and not in the store. */
  readonly extra: number
  readonly repaired: number
}

export type ReconcileDeps = {
  readonly index: Pick<SearchIndex, 'entries'>
  /** Indices without hashes are passed over. */
  readonly records: readonly Records[]
  /** Whether a write of the resource is still on its way to the index. */
  readonly awaits: (resource: string) => boolean
  readonly take: Feed['take']
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Asked = {
  readonly dryRun: boolean
  /** Records done, and how many there are. */
  readonly progress: (done: number, total?: number) => void
}

/** Records that are compared at a time, and entries of the index that are read at once. */
const stride = 500
const page = 1000
/** How often, and how many milliseconds apart, somebody looks whether a write has reached the index. */
const looks = 50
const lookMs = 100

/** What is written meanwhile is no drift: what differs is looked at twice, the second time without writes on their way. */
export async function reconcile(
  deps: ReconcileDeps,
  { dryRun, progress }: Asked,
  signal: AbortSignal,
): Promise<Drift> {
  const { take, pause } = deps
  const sides = deps.records.filter(({ hashes }) => hashes)
  const all = await Promise.all(sides.map((side) => side.ids(signal)))
  const total = all.reduce((sum, ids) => sum + ids.length, 0)
  let drift: Drift = { compared: 0, missing: 0, stale: 0, extra: 0, repaired: 0 }
  for (const [at, side] of sides.entries())
    for (const range of ranges(all[at] ?? [])) {
      const found = await differing(deps, side, range, signal)
      const different = async function* () {
        yield dryRun ? [] : found.map(({ id }) => side.resource(id))
      }
      const repaired = await feed(different(), { take, pause }, signal)
      const of = (kind: Difference['kind']) => found.filter((one) => one.kind === kind).length
      drift = {
        compared: drift.compared + range.ids.length,
        missing: drift.missing + of('missing'),
        stale: drift.stale + of('stale'),
        extra: drift.extra + of('extra'),
        repaired: drift.repaired + repaired,
      }
      progress(drift.compared, total)
    }
  return drift
}

/** Ids behind `after`, up to and with `until`; without `until` up to the end of the index. */
type Range = {
  readonly ids: readonly string[]
  readonly after: string
  readonly until: string | undefined
}

function* ranges(ids: readonly string[]): Generator<Range> {
  let after = ''
  for (let at = 0; at < ids.length || at === 0; at += stride) {
    const part = ids.slice(at, at + stride)
    const until = at + stride < ids.length ? part.at(-1) : undefined
    yield { ids: part, after, until }
    after = until ?? after
  }
}

type Difference = { readonly id: string; readonly kind: 'missing' | 'stale' | 'extra' }

async function differing(
  deps: ReconcileDeps,
  side: Records,
  range: Range,
  signal: AbortSignal,
): Promise<readonly Difference[]> {
  const look = async (more: readonly string[]) => {
    const entries = await entriesOf(deps, side, range, signal)
    const ids = [...new Set([...range.ids, ...entries.keys(), ...more])]
    const stored: [string, ReadonlySet<string>][] = []
    for (let at = 0; at < ids.length; at += stride)
      stored.push(...((await side.hashes?.(ids.slice(at, at + stride), signal)) ?? []))
    return compared(new Map(stored), entries)
  }
  const first = await look([])
  if (first.length === 0) return first
  const ids = first.map(({ id }) => id)
  // Until none of them is on its way to the index any more, or some seconds.
  const isMoving = () => ids.some((id) => deps.awaits(side.resource(id)))
  for (let look = 0; look < looks && isMoving(); look += 1) {
    await deps.pause(lookMs, signal)
    signal.throwIfAborted()
  }
  const second = await look(ids)
  return second.filter((one) =>
    first.some(
      ({ id, kind }) => id === one.id && kind === one.kind && !deps.awaits(side.resource(id)),
    ),
  )
}

function compared(stored: Hashes, entries: ReadonlyMap<string, string>): readonly Difference[] {
  const found: Difference[] = []
  for (const [id, hashes] of stored) {
    const hash = entries.get(id)
    if (hash === undefined) found.push({ id, kind: 'missing' })
    else if (!hashes.has(hash)) found.push({ id, kind: 'stale' })
  }
  for (const id of entries.keys()) if (!stored.has(id)) found.push({ id, kind: 'extra' })
  return found
}

async function entriesOf(
  { index }: ReconcileDeps,
  side: Records,
  { after, until }: Range,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (let from = after; ;) {
    const entries = await index.entries(side.index, from, page, signal)
    for (const { id, hash } of entries) {
      if (until !== undefined && id > until) return found
      found.set(id, hash)
    }
    const last = entries.at(-1)
    if (!last || entries.length < page) return found
    from = last.id
  }
}
