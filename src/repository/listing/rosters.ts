/** Keeps the ids of long lists for a moment, so that a page does not cost a walk over all links of a catalogue. */

/** Ids of resources, ascending by code point, each once. It may change while it is held: go on by id, not by place. */
export type Roster = readonly string[]

export type Rosters = {
  /** The roster of that name: the one that is kept, or what `read` finds. Many askers at once cause one reading. */
  of(name: string, read: () => Promise<string[]>): Promise<Roster>
  /** Tells of writes that have landed. A roster that is being read hears of them too. */
  add(name: string, id: string): void
  remove(name: string, id: string): void
  /** Something happened that is told better by the store. */
  forget(name: string): void
}

export type RosterLimits = {
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Milliseconds for which a roster is believed: others may write to the store behind our back. */
  readonly keptMs?: number
  /** Ids in all rosters together; the one asked for last stays, however long. */
  readonly most?: number
}

type Kept = {
  readonly since: number
  readonly ready: Promise<string[]>
  ids: string[] | undefined
  /** What was written while the store was asked, in its order. */
  readonly heard: (readonly [change: 'add' | 'remove', id: string])[]
}

/** About 70 bytes an id: some 35 MB. */
const usualMost = 500_000

export function rosters({ now, keptMs = 30_000, most = usualMost }: RosterLimits): Rosters {
  const kept = new Map<string, Kept>()

  const read = (name: string, fetch: () => Promise<string[]>): Promise<Roster> => {
    const heard: Kept['heard'] = []
    const ready = fetch().then((found) => {
      const ids = distinct(found.sort())
      for (const [change, id] of heard) apply(ids, change, id)
      entry.ids = ids
      // A list of nothing costs nothing to read again, and anybody can ask for any number of such names.
      if (ids.length === 0 && kept.get(name) === entry) kept.delete(name)
      shrink(kept, most)
      return ids
    })
    const entry: Kept = { since: now(), ready, ids: undefined, heard }
    kept.set(name, entry)
    ready.catch(() => {
      if (kept.get(name) === entry) kept.delete(name)
    })
    return ready
  }

  const hear = (name: string, change: 'add' | 'remove', id: string): void => {
    const entry = kept.get(name)
    if (entry?.ids) apply(entry.ids, change, id)
    else entry?.heard.push([change, id])
  }

  return {
    of: (name, fetch) => {
      const entry = kept.get(name)
      kept.delete(name)
      if (!entry || now() - entry.since >= keptMs) return read(name, fetch)
      // Last in the map is the one asked for last.
      kept.set(name, entry)
      return entry.ready
    },
    add: (name, id) => hear(name, 'add', id),
    remove: (name, id) => hear(name, 'remove', id),
    forget: (name) => void kept.delete(name),
  }
}

/** The ids behind one (behind nothing: from the start), at most so many. */
export function idsAfter(roster: Roster, id: string | undefined, count: number): string[] {
  const place = id === undefined ? 0 : placeOf(roster, id)
  const from = id !== undefined && roster[place] === id ? place + 1 : place
  return roster.slice(from, from + count)
}

const distinct = (sorted: readonly string[]): string[] =>
  sorted.filter((id, at) => id !== sorted[at - 1])

/** Where an id stands or would stand. */
function placeOf(roster: Roster, id: string): number {
  let low = 0
  let high = roster.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((roster[middle] ?? '') < id) low = middle + 1
    else high = middle
  }
  return low
}

function apply(ids: string[], change: 'add' | 'remove', id: string): void {
  const place = placeOf(ids, id)
  const isThere = ids[place] === id
  if (change === 'add' && !isThere) ids.splice(place, 0, id)
  if (change === 'remove' && isThere) ids.splice(place, 1)
}

/** Forgets those that were not asked for longest until the rest is within the bound. */
function shrink(kept: Map<string, Kept>, most: number): void {
  let sum = 0
  for (const { ids } of kept.values()) sum += ids?.length ?? 0
  for (const [name, { ids }] of kept) {
    if (sum <= most || kept.size === 1) return
    if (!ids) continue
    kept.delete(name)
    sum -= ids.length
  }
}
