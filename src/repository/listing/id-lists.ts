/**
 * A cache of id lists and of the catalogues of datasets: a page of a list would otherwise cost a walk over all links of its
 * catalogue. Writes of this process keep it up to date; what others write to the store is seen when an entry expires.
 */

import { ctl, dcat, systemGraph } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import type { Change } from '../../store/graph-store.ts'

/** Ids of resources, ascending by code point, each once. It changes with writes: who reads it for long takes a copy. */
export type CachedIds = readonly string[]

export type IdLists = {
  /** The list of that name: the cached one, or what `read` finds. Many who ask at once cause one reading. */
  of(name: string, read: () => Promise<string[]>): Promise<CachedIds>
  /** The id of the catalogue that a dataset is in. */
  catalogueOf(dataset: string): Promise<string | undefined>
  /** Follows writes that have landed. */
  landed(changes: readonly Change[]): void
  /** Empties the cache, because it is not known what has landed. */
  forget(): void
}

/** Names of the lists that are cached. */
export const listNames = {
  catalogues: 'catalogues',
  vocabularies: 'vocabularies',
  datasets: 'datasets',
  members: (catalogue: string) => `datasets of ${catalogue}`,
  resources: (type: string) => `resources ${type}`,
} as const

type IdListOptions = {
  readonly names: Names
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Asks the store for the catalogue of a dataset. */
  readonly find: (dataset: string) => Promise<string | undefined>
  /** Ids in all lists together (about 70 bytes each); the list asked for last stays, however long. */
  readonly most?: number
}

/** Milliseconds for which a list is used, and the catalogues of datasets; and how many of the latter are kept at once. */
const expiryMs = 30_000
const catalogueExpiryMs = 600_000
const mostCatalogues = 50_000

type Touch = readonly [change: 'add' | 'remove', id: string]

type Entry = {
  readonly since: number
  readonly ready: Promise<string[]>
  ids: string[] | undefined
  /** What was written while the store was asked, in its order. */
  readonly meanwhile: Touch[]
}

export const idLists = (options: IdListOptions): IdLists => new IdListCache(options)

class IdListCache implements IdLists {
  readonly #options: Required<IdListOptions>
  readonly #entries = new Map<string, Entry>()
  readonly #catalogues = new Map<string, { readonly id: string; readonly since: number }>()

  constructor(options: IdListOptions) {
    this.#options = { most: 500_000, ...options }
  }

  of(name: string, fetch: () => Promise<string[]>): Promise<CachedIds> {
    const entry = this.#entries.get(name)
    this.#entries.delete(name)
    if (!entry || this.#options.now() - entry.since >= expiryMs) return this.#read(name, fetch)
    // The last of the map is the one asked for last.
    this.#entries.set(name, entry)
    return entry.ready
  }

  async catalogueOf(dataset: string): Promise<string | undefined> {
    const { now, find } = this.#options
    const known = this.#catalogues.get(dataset)
    if (known && now() - known.since < catalogueExpiryMs) return known.id
    const found = await find(dataset)
    if (found !== undefined) this.#keep(dataset, found)
    return found
  }

  landed(changes: readonly Change[]): void {
    for (const change of changes) {
      const catalogue = this.#options.names.idOf('catalogue', change.graph)
      if (catalogue === undefined) {
        if (isCounted(change)) this.forget()
      } else if (change.drop || change.content !== undefined) this.forget()
      else {
        this.#link('remove', catalogue, change.remove)
        this.#link('add', catalogue, change.add)
      }
    }
  }

  forget(): void {
    this.#entries.clear()
    this.#catalogues.clear()
  }

  #read(name: string, fetch: () => Promise<string[]>): Promise<CachedIds> {
    const drop = () => this.#entries.get(name) === entry && this.#entries.delete(name)
    const ready = fetch().then((found) => {
      const ids = [...new Set(found)].sort()
      for (const touch of entry.meanwhile) apply(ids, touch)
      entry.ids = ids
      // An empty list costs nothing to read again, and anybody can ask for any number of such names.
      if (ids.length === 0) drop()
      shrink(this.#entries, this.#options.most)
      return ids
    })
    const entry: Entry = { since: this.#options.now(), ready, ids: undefined, meanwhile: [] }
    this.#entries.set(name, entry)
    ready.catch(drop)
    return ready
  }

  #link(change: Touch[0], catalogue: string, lines: readonly string[] = []): void {
    for (const id of linkedDatasets(this.#options.names, catalogue, lines)) {
      for (const name of [listNames.datasets, listNames.members(catalogue)]) {
        const entry = this.#entries.get(name)
        if (entry?.ids) apply(entry.ids, [change, id])
        else entry?.meanwhile.push([change, id])
      }
      if (change === 'add') this.#keep(id, catalogue)
      else this.#catalogues.delete(id)
    }
  }

  #keep(dataset: string, id: string): void {
    if (this.#catalogues.size >= mostCatalogues) this.#catalogues.clear()
    this.#catalogues.set(dataset, { id, since: this.#options.now() })
  }
}

/** The ids of the datasets that links of a catalogue lead to. */
function linkedDatasets(names: Names, catalogue: string, lines: readonly string[]): string[] {
  const start = `<${names.catalogue(catalogue)}> <${dcat('dataset').value}> <`
  return lines.flatMap((line) => {
    if (!line.startsWith(start)) return []
    const id = names.idOf('dataset', line.slice(start.length, line.indexOf('>', start.length)))
    // A copy: a window on the line would keep the line in memory.
    return id === undefined ? [] : [Buffer.from(id).toString()]
  })
}

const counted = [ctl('scheme').value, ctl('resourceType').value].map((iri) => `> <${iri}> `)

/** Whether vocabularies or resources of declared types come or go: the facts of the system graph say so. */
const isCounted = ({ graph, add = [], remove = [] }: Change): boolean =>
  graph === systemGraph &&
  [...add, ...remove].some((line) => counted.some((part) => line.includes(part)))

/** Where an id is or would be. */
function placeOf(ids: CachedIds, id: string): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? '') < id) low = middle + 1
    else high = middle
  }
  return low
}

function apply(ids: string[], [change, id]: Touch): void {
  const place = placeOf(ids, id)
  const isThere = ids[place] === id
  if (change === 'add' && !isThere) ids.splice(place, 0, id)
  if (change === 'remove' && isThere) ids.splice(place, 1)
}

/** Drops the lists that were not asked for longest until the rest is within the bound. */
function shrink(entries: Map<string, Entry>, most: number): void {
  let sum = 0
  for (const { ids } of entries.values()) sum += ids?.length ?? 0
  for (const [name, { ids }] of entries) {
    if (sum <= most || entries.size === 1) return
    if (!ids) continue
    entries.delete(name)
    sum -= ids.length
  }
}
