/**
 * A cache of id lists and of the catalogues of datasets: a page of a list would otherwise cost a walk over all links of its
 * catalogue. Writes of this process keep it up to date; what others write to the store is seen when an entry expires.
 */

import { ctl, dcat, systemGraph } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import type { Change } from '../../store/graph-store.ts'
import { countLookups } from '../../workers/bounded-cache.ts'

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
const maxCatalogues = 50_000

type Touch = readonly [change: 'add' | 'remove', id: string]

type Entry = {
  readonly since: number
  readonly ready: Promise<readonly string[]>
  /** Ascending by code point; absent while the store is asked. */
  ids?: string[]
  /** What was written meanwhile, in its order. */
  readonly meanwhile: Touch[]
}

export class IdLists {
  readonly #options: Required<IdListOptions>
  /** The last one is the one asked for last. */
  readonly #entries = new Map<string, Entry>()
  readonly #catalogues = new Map<string, { readonly id: string; readonly since: number }>()

  constructor(options: IdListOptions) {
    this.#options = { most: 500_000, ...options }
  }

  /**
   * The ids of that name, ascending by code point, each once: the cached ones, or what `read` finds. Many who ask at once cause one
   * reading. The list changes with writes: who reads it for long takes a copy.
   */
  of(name: string, read: () => Promise<string[]>): Promise<readonly string[]> {
    const entry = this.#entries.get(name)
    this.#entries.delete(name)
    const isCurrent = entry && this.#options.now() - entry.since < expiryMs
    countLookups('id-lists', Number(isCurrent ?? false), Number(!isCurrent))
    const used = isCurrent ? entry : this.#read(name, read)
    this.#entries.set(name, used)
    return used.ready
  }

  /** The id of the catalogue that a dataset is in. */
  async catalogueOf(dataset: string): Promise<string | undefined> {
    const { now, find } = this.#options
    const known = this.#catalogues.get(dataset)
    const isCurrent = known !== undefined && now() - known.since < catalogueExpiryMs
    countLookups('dataset-catalogues', Number(isCurrent), Number(!isCurrent))
    if (isCurrent) return known.id
    const found = await find(dataset)
    if (found !== undefined) this.#keep(dataset, found)
    return found
  }

  /** Follows writes that have landed. */
  apply(changes: readonly Change[]): void {
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

  /** Empties the cache, because it is not known what has landed. */
  forget(): void {
    this.#entries.clear()
    this.#catalogues.clear()
  }

  /** Asks the store once for all who wait, and replays what was written while it answered. */
  #read(name: string, read: () => Promise<string[]>): Entry {
    const drop = () => this.#entries.get(name) === entry && this.#entries.delete(name)
    const ready = read().then((found) => {
      const ids = [...new Set(found)].sort()
      for (const touch of entry.meanwhile) apply(ids, touch)
      entry.ids = ids
      // An empty list costs nothing to read again, and anybody can ask for any number of such names.
      if (ids.length === 0) drop()
      this.#shrink()
      return ids
    })
    const entry: Entry = { since: this.#options.now(), ready, meanwhile: [] }
    ready.catch(drop)
    return entry
  }

  /** Follows the links of a catalogue that a write has added or removed. */
  #link(change: Touch[0], catalogue: string, lines: readonly string[] = []): void {
    const { names } = this.#options
    const start = `<${names.catalogue(catalogue)}> <${dcat('dataset').value}> <`
    for (const line of lines) {
      const end = line.indexOf('>', start.length)
      const iri = line.startsWith(start) ? line.slice(start.length, end) : ''
      const id = names.idOf('dataset', iri)
      if (id === undefined) continue
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
    if (this.#catalogues.size >= maxCatalogues) this.#catalogues.clear()
    this.#catalogues.set(dataset, { id, since: this.#options.now() })
  }

  /** Drops the lists that were not asked for longest until the rest is within the bound. */
  #shrink(): void {
    let sum = this.#entries.values().reduce((all, { ids }) => all + (ids?.length ?? 0), 0)
    for (const [name, { ids }] of this.#entries) {
      if (sum <= this.#options.most || this.#entries.size === 1) return
      if (ids) this.#entries.delete(name)
      sum -= ids?.length ?? 0
    }
  }
}

const counted = [ctl('scheme').value, ctl('resourceType').value].map((iri) => `> <${iri}> `)

/** Whether vocabularies or resources of declared types come or go: the facts of the system graph say so. */
const isCounted = ({ graph, add = [], remove = [] }: Change): boolean =>
  graph === systemGraph &&
  [...add, ...remove].some((line) => counted.some((part) => line.includes(part)))

/** Keeps a sorted list sorted, by binary search: a list may have a million ids. */
function apply(ids: string[], [change, id]: Touch): void {
  let [place, high] = [0, ids.length]
  while (place < high) {
    const middle = (place + high) >>> 1
    if ((ids[middle] ?? '') < id) place = middle + 1
    else high = middle
  }
  const isThere = ids[place] === id
  if (change === 'add' && !isThere) ids.splice(place, 0, id)
  if (change === 'remove' && isThere) ids.splice(place, 1)
}
