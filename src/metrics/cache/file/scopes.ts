/** Figures and their history, scope by scope, out of the file. */

import type { Row, Sqlite } from '../../../sqlite.ts'
import { aggregateOf, measuredOf, type Maxima } from '../counting/aggregate.ts'
import type { Tally } from '../counting/tally.ts'
import type {
  CatalogueFigures,
  Figures,
  PublisherFigures,
  RankedCatalogue,
  Scope,
  ScoreBand,
} from '../figures.ts'
import { snapshotsOf, type Kind } from './history.ts'

type Options = { readonly maxima: Maxima; readonly bands: readonly ScoreBand[] }

type Place = { readonly kind: Kind; readonly key: string }

/** Where the figures of a scope lie. */
function placeOf(scope: Scope): Place {
  if (scope === 'global') return { kind: 'global', key: '' }
  if ('catalogue' in scope) return { kind: 'catalogue', key: scope.catalogue }
  if ('country' in scope) return { kind: 'country', key: scope.country }
  return { kind: 'publisher', key: scope.publisher }
}

type Scopes = Pick<
  Figures,
  | 'refreshed'
  | 'catalogues'
  | 'rankedCatalogues'
  | 'countries'
  | 'publishers'
  | 'catalogue'
  | 'publisher'
  | 'aggregate'
  | 'measured'
  | 'history'
>

const columns = 'id, titles, descriptions, languages, country, type'

export function scopes(file: Sqlite, { maxima, bands }: Options): Scopes {
  const tallyOf = ({ kind, key }: Place): Tally | undefined => {
    const row =
      kind === 'catalogue'
        ? file.first('SELECT tally FROM catalogue WHERE id = ?', key)
        : file.first('SELECT tally FROM figure WHERE kind = ? AND key = ?', kind, key)
    return row && JSON.parse(String(row['tally']))
  }
  return {
    ...catalogueLists(file, maxima),
    ...publisherLists(file),
    refreshed: () => {
      const state = new Map(
        file.rows('SELECT name, value FROM state').map(({ name, value }) => [name, Number(value)]),
      )
      const [number, at] = [state.get('number'), state.get('at')]
      return number === undefined || at === undefined ? undefined : { at: new Date(at), number }
    },
    countries: () =>
      file
        .rows("SELECT key FROM figure WHERE kind = 'country' ORDER BY key")
        .map(({ key }) => String(key)),
    aggregate: (scope) => {
      const tally = tallyOf(placeOf(scope))
      return tally && aggregateOf(tally, maxima)
    },
    measured: (scope) => {
      const tally = tallyOf(placeOf(scope))
      return tally && measuredOf(tally, bands)
    },
    // A catalogue that is hidden now keeps its history, and nobody sees it.
    history: (scope, span) => {
      const place = placeOf(scope)
      if (tallyOf(place) === undefined) return []
      return snapshotsOf(file, place, span).map(({ day, tally }) => ({
        day,
        aggregate: aggregateOf(tally, maxima),
      }))
    },
  }
}

function catalogueLists(
  file: Sqlite,
  maxima: Maxima,
): Pick<Figures, 'catalogues' | 'rankedCatalogues' | 'catalogue'> {
  const orders = { best: 'DESC', worst: 'ASC' } as const
  return {
    catalogues: () => file.rows(`SELECT ${columns} FROM catalogue ORDER BY id`).map(catalogueOf),
    catalogue: (id) => {
      const row = file.first(`SELECT ${columns} FROM catalogue WHERE id = ?`, id)
      return row && catalogueOf(row)
    },
    rankedCatalogues: (order, { offset, limit }) => {
      const sorted = `ORDER BY score IS NULL, score ${orders[order]}, id LIMIT ? OFFSET ?`
      const rows = file.rows(`SELECT ${columns}, tally FROM catalogue ${sorted}`, limit, offset)
      return {
        count: Number(file.first('SELECT count(*) AS n FROM catalogue')?.['n'] ?? 0),
        rows: rows.map((row): RankedCatalogue => {
          const tally: Tally = JSON.parse(String(row['tally']))
          const { score, dimensions } = aggregateOf(tally, maxima)
          return { catalogue: catalogueOf(row), score, datasets: tally.datasets, dimensions }
        }),
      }
    },
  }
}

function publisherLists(file: Sqlite): Pick<Figures, 'publishers' | 'publisher'> {
  const publisherOf = ({ key, name }: Row): PublisherFigures => ({
    key: String(key),
    name: textOf(name) ?? String(key),
  })
  const count = "SELECT count(*) AS n FROM figure WHERE kind = 'publisher'"
  const page =
    "SELECT key, name FROM figure WHERE kind = 'publisher' ORDER BY datasets DESC, key LIMIT ? OFFSET ?"
  return {
    publishers: ({ offset, limit }) => ({
      count: Number(file.first(count)?.['n'] ?? 0),
      rows: file.rows(page, limit, offset).map(publisherOf),
    }),
    publisher: (key) => {
      const row = file.first(
        "SELECT key, name FROM figure WHERE kind = 'publisher' AND key = ?",
        key,
      )
      return row && publisherOf(row)
    },
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const catalogueOf = (row: Row): CatalogueFigures => ({
  id: String(row['id']),
  titles: JSON.parse(String(row['titles'])),
  descriptions: JSON.parse(String(row['descriptions'])),
  languages: JSON.parse(String(row['languages'])),
  country: textOf(row['country']),
  type: textOf(row['type']),
})
