/** A reader of the index file: each request sees one committed state from beginning to end. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Answer, Entry, SearchRequest } from '../../search-index.ts'
import type { IndexName } from '../../settings.ts'
import { FacetDictionary } from '../columns/facet-dictionary.ts'
import { openDatabase } from '../database.ts'
import { FullText } from '../matching/full-text.ts'
import { Leaves } from '../matching/leaves.ts'
import { readGenerations } from '../writing/generations.ts'
import { Records } from './records.ts'
import { search, type Tools } from './search.ts'
import { View } from './view.ts'

export class Reader {
  readonly #db: DatabaseSync
  readonly #tools: Tools
  readonly #dataVersion: StatementSync
  #seen: unknown
  #views = new Map<IndexName, View>()

  /** `check` throws when the request at hand is to stop. */
  constructor(path: string, check: () => void) {
    this.#db = openDatabase(path, 'reader')
    this.#dataVersion = this.#db.prepare('PRAGMA data_version')
    this.#tools = {
      fullText: new FullText(this.#db, check),
      leaves: new Leaves(this.#db, check),
      facets: new FacetDictionary(this.#db),
      records: new Records(this.#db),
      check,
    }
  }

  search(request: SearchRequest): Answer {
    return this.#snapshot(() => {
      const names = [...new Set(request.indices)]
      const views = names.flatMap((name) => this.#views.get(name) ?? [])
      return search(request, views, this.#tools)
    })
  }

  get(index: IndexName, id: string): string | undefined {
    return this.#snapshot(() => {
      const view = this.#views.get(index)
      const n = view && this.#tools.records.find(view, id)
      return view && n !== undefined ? this.#tools.records.text(view, n) : undefined
    })
  }

  entries(index: IndexName, after: string, limit: number): readonly Entry[] {
    return this.#snapshot(() => {
      const view = this.#views.get(index)
      return view ? this.#tools.records.entries(view, after, limit) : []
    })
  }

  newest(): number {
    return this.#snapshot(() =>
      Math.max(0, ...[...this.#views.values()].map((view) => this.#tools.records.newest(view))),
    )
  }

  documents(): Readonly<Partial<Record<IndexName, number>>> {
    return this.#snapshot(() =>
      Object.fromEntries([...this.#views].map(([name, view]) => [name, view.count])),
    )
  }

  close(): void {
    this.#db.close()
  }

  #snapshot<T>(work: () => T): T {
    this.#db.exec('BEGIN')
    try {
      this.#refresh()
      return work()
    } finally {
      this.#db.exec('ROLLBACK')
    }
  }

  /** Reading the data version also fixes the snapshot. */
  #refresh(): void {
    const version = this.#dataVersion.get()?.['data_version']
    if (version === this.#seen) return
    const generations = readGenerations(this.#db)
    this.#views = new Map(
      generations.map((generation) => {
        const known = this.#views.get(generation.index)
        const same =
          JSON.stringify(known?.generation) === JSON.stringify(generation) ? known : undefined
        return [generation.index, same ?? new View(this.#db, generation)]
      }),
    )
    this.#tools.facets.refresh()
    for (const view of this.#views.values()) view.refresh()
    this.#seen = version
  }
}
