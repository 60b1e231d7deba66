/**
 * Cache of id lists and of the catalogues of datasets: without it a page of a list would read all links of its catalogue. Writes
 * of this process update it; writes of other programs are seen when an entry expires.
 */

import { ctl, dcat, systemGraph } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphChange } from '../../store/graph-store.ts'
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
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Reads the catalogue of a dataset from the store. */
  readonly find: (dataset: string) => Promise<string | undefined>
  /** Most ids in all lists together (about 70 bytes each); default 500 000. A list that is alone in the cache stays, however long. */
  readonly maxCached?: number
}

/** Milliseconds for which lists are cached, and the catalogue of a dataset is, and most datasets whose catalogue is cached. */
const expiryMs = 30_000
const catalogueExpiryMs = 600_000
const maxCatalogues = 50_000

type PendingChange = readonly [change: 'add' | 'remove', id: string]

type Entry = {
  readonly since: number
  readonly ready: Promise<readonly string[]>
  /** Ascending by UTF-16 code unit; absent while the store is read. */
  ids?: string[]
  /** Changes that were written while the store was read, in order. */
  readonly pendingChanges: PendingChange[]
}

/** Cache of the repository's id lists, which commits keep up to date. */
export class IdLists {
  readonly #options: Required<IdListOptions>
  /** Entries in the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  readonly #catalogues = new Map<string, { readonly id: string; readonly since: number }>()

  constructor(options: IdListOptions) {
    this.#options = { maxCached: 500_000, ...options }
  }

  /**
   * Returns the ids of the list `name`, ascending, without duplicates: cached, or the result of `read`, which concurrent callers
   * share. The array changes with writes; copy it before long use.
   */
  of(name: string, read: () => Promise<string[]>): Promise<readonly string[]> {
    const entry = this.#entries.get(name)
    this.#entries.delete(name)
    const isCurrent = entry && this.#options.now() - entry.since < expiryMs
    countLookups('id-lists', Number(isCurrent ?? false), Number(!isCurrent))
    const list = isCurrent ? entry : this.#read(name, read)
    this.#entries.set(name, list)
    return list.ready
  }

  /** Returns the id of the catalogue that a dataset is in. */
  async catalogueOf(dataset: string): Promise<string | undefined> {
    const { now, find } = this.#options
    const cached = this.#catalogues.get(dataset)
    const isCurrent = cached !== undefined && now() - cached.since < catalogueExpiryMs
    countLookups('dataset-catalogues', Number(isCurrent), Number(!isCurrent))
    if (isCurrent) return cached.id
    const catalogue = await find(dataset)
    if (catalogue !== undefined) this.#cacheCatalogue(dataset, catalogue)
    return catalogue
  }

  /**
   * Applies committed writes to the cached lists: links of a catalogue change them; content or removal of a catalogue, and lists of
   * vocabularies or resources, empty the cache. Other writes change nothing.
   */
  apply(changes: readonly GraphChange[]): void {
    for (const change of changes) {
      const catalogue = this.#options.names.idOf('catalogue', change.graph)
      if (catalogue === undefined) {
        if (changesLists(change)) this.forget()
      } else if (change.drop || change.content !== undefined) this.forget()
      else {
        this.#link('remove', catalogue, change.remove)
        this.#link('add', catalogue, change.add)
      }
    }
  }

  /** Empties the cache: after writes of unknown outcome or that change lists without links, and when the lease is regained. */
  forget(): void {
    this.#entries.clear()
    this.#catalogues.clear()
  }

  /** Reads a list once for all waiting callers, and applies the writes committed meanwhile. */
  #read(name: string, read: () => Promise<string[]>): Entry {
    const drop = () => this.#entries.get(name) === entry && this.#entries.delete(name)
    const ready = read().then((readIds) => {
      const ids = [...new Set(readIds)].sort()
      for (const change of entry.pendingChanges) apply(ids, change)
      entry.ids = ids
      // Empty lists are cheap to read, and clients can request any number of unknown names.
      if (ids.length === 0) drop()
      this.#shrink()
      return ids
    })
    const entry: Entry = { since: this.#options.now(), ready, pendingChanges: [] }
    ready.catch(drop)
    return entry
  }

  /** Applies the links of a catalogue that a write has added or removed. */
  #link(change: PendingChange[0], catalogue: string, lines: readonly string[] = []): void {
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
        else entry?.pendingChanges.push([change, id])
      }
      if (change === 'add') this.#cacheCatalogue(id, catalogue)
      else this.#catalogues.delete(id)
    }
  }

  #cacheCatalogue(dataset: string, id: string): void {
    if (this.#catalogues.size >= maxCatalogues) this.#catalogues.clear()
    this.#catalogues.set(dataset, { id, since: this.#options.now() })
  }

  /** Drops the least recently used lists until the rest is within the limit. */
  #shrink(): void {
    let sum = this.#entries.values().reduce((all, { ids }) => all + (ids?.length ?? 0), 0)
    for (const [name, { ids }] of this.#entries) {
      if (sum <= this.#options.maxCached || this.#entries.size === 1) return
      if (ids) this.#entries.delete(name)
      sum -= ids?.length ?? 0
    }
  }
}

const listedFacts = [ctl('scheme').value, ctl('resourceType').value].map((iri) => `> <${iri}> `)

/** Tells whether vocabularies or resources of declared types may be created or deleted, by facts of the system graph. */
const changesLists = ({ graph, add = [], remove = [] }: GraphChange): boolean =>
  graph === systemGraph &&
  [...add, ...remove].some((line) => listedFacts.some((part) => line.includes(part)))

/** Updates a sorted list by binary search: a list may have a million ids. */
function apply(ids: string[], [change, id]: PendingChange): void {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? '') < id) low = middle + 1
    else high = middle
  }
  const isListed = ids[low] === id
  if (change === 'add' && !isListed) ids.splice(low, 0, id)
  if (change === 'remove' && isListed) ids.splice(low, 1)
}
