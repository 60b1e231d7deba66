/** A reader of the index file: each request sees one committed state from beginning to end. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Answer, FacetItem, SearchRequest } from '../../search-index.ts'
import type { IndexName } from '../../settings.ts'
import { FacetDictionary } from '../columns/facet-dictionary.ts'
import { openDatabase } from '../database.ts'
import { FullText } from '../matching/full-text.ts'
import { Leaves } from '../matching/leaves.ts'
import { Occurrences } from '../matching/occurrences.ts'
import { answers, readGenerations, type Generation } from '../writing/generations.ts'
import { Records } from './records.ts'
import { Remembered } from './remembered.ts'
import { allValues } from './facets.ts'
import { open, search, type Tools } from './search.ts'
import {
  readSlice,
  type Opened,
  type Slice,
  type SlicePage,
  type SnapshotRequest,
} from './snapshot.ts'
import { Versions } from './versions.ts'
import { View } from './view.ts'

export class Reader {
  readonly #db: DatabaseSync
  readonly #tools: Tools
  readonly #dataVersion: StatementSync
  #seen: unknown
  /** What answers, by index. */
  #views = new Map<IndexName, View>()
  /** What is being built, by index: kept up with, so that nobody waits for it when it takes over. */
  #built = new Map<IndexName, View>()

  /** `check` throws when the request at hand is to stop. */
  constructor(path: string, check: () => void, wildcardTerms = 1_000) {
    this.#db = openDatabase(path, 'reader')
    this.#dataVersion = this.#db.prepare('PRAGMA data_version')
    this.#tools = {
      fullText: new FullText(this.#db, check),
      occurrences: new Occurrences(this.#db, check),
      leaves: new Leaves(this.#db, check, wildcardTerms),
      facets: new FacetDictionary(this.#db),
      records: new Records(this.#db),
      versions: new Versions(this.#db),
      remembered: new Remembered(),
      check,
    }
  }

  search(request: SearchRequest): Answer {
    return this.#snapshot(() => search(request, this.#searched(request), this.#tools))
  }

  open(request: SnapshotRequest): Opened {
    return this.#snapshot(() => open(request, this.#searched(request), this.#tools))
  }

  /** Reads by number only: whatever was written or swapped since changes nothing. */
  page(slice: Slice): SlicePage {
    return this.#transaction(() => readSlice(slice, this.#tools.versions))
  }

  values(index: IndexName, facet: string): readonly FacetItem[] {
    return this.#snapshot(() => {
      const view = this.#views.get(index)
      return view ? allValues(view, this.#tools.facets, facet) : []
    })
  }

  get(index: IndexName, id: string): string | undefined {
    return this.#snapshot(() => {
      const view = this.#views.get(index)
      const n = view && this.#tools.records.find(view, id)
      if (!view || n === undefined) return undefined
      return this.#tools.versions.text(view.generation.generation, n)
    })
  }

  /** Nothing is missing in an index that is not being filled. */
  missing(index: IndexName, ids: readonly string[]): readonly string[] {
    return this.#snapshot(() => {
      const answering = this.#views.get(index)
      const isWhole = answering?.generation.state === 'current'
      const view = this.#built.get(index) ?? (isWhole ? undefined : answering)
      return view ? ids.filter((id) => !this.#tools.records.knows(view, id)) : []
    })
  }

  close(): void {
    this.#db.close()
  }

  #searched({ indices }: SnapshotRequest): View[] {
    return [...new Set(indices)].flatMap((name) => this.#views.get(name) ?? [])
  }

  #snapshot<T>(work: () => T): T {
    const done = this.#transaction(() => {
      this.#refresh()
      return work()
    })
    const views = [...this.#views.values()]
    this.#tools.occurrences.serve(views.map(({ generation }) => generation.generation))
    return done
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return work()
    } finally {
      this.#db.exec('ROLLBACK')
    }
  }

  /** Reading the data version also fixes the snapshot. */
  #refresh(): void {
    const version = this.#dataVersion.get()?.['data_version']
    if (version === this.#seen) return
    this.#tools.remembered.clear()
    const known = new Map(
      [...this.#views.values(), ...this.#built.values()].map((view) => [
        view.generation.generation,
        view,
      ]),
    )
    const living = readGenerations(this.#db).filter(({ state }) => state !== 'old')
    const views = living.map((one) => this.#viewOf(one, known.get(one.generation)))
    const byIndex = (some: readonly View[]) => new Map(some.map((view) => [view.index, view]))
    this.#views = byIndex(views.filter(({ generation }) => answers(generation)))
    this.#built = byIndex(views.filter(({ generation }) => !answers(generation)))
    this.#tools.facets.refresh()
    for (const view of views) view.refresh(this.#tools.check)
    this.#seen = version
  }

  /** A view stays when its generation takes over; other weights or titles are read again. */
  #viewOf(generation: Generation, known: View | undefined): View {
    const settings = JSON.stringify(generation.settings)
    if (!known || JSON.stringify(known.generation.settings) !== settings)
      return new View(this.#db, generation)
    known.generation = generation
    return known
  }
}
