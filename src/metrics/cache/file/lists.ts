/** Lists out of the file: datasets at both ends, violations and rules, URLs and hosts. */

import type { Names } from '../../../rdf/names.ts'
import type { Row, Sqlite } from '../../../sqlite.ts'
import { compareCodePoints } from '../../../text/code-points.ts'
import type { DatasetFigures, Figures, Listed, Page, Scope, UnreachableHost } from '../figures.ts'
import { ruleOf, unreachableOf, violationOf } from './rows.ts'

type Lists = Pick<
  Figures,
  'best' | 'worst' | 'violations' | 'unreachable' | 'violationsByRule' | 'unreachableByHost'
>

export function lists(file: Sqlite, names: Names): Lists {
  return {
    ...ends(file, names),
    ...pages(file, names),
    violationsByRule: (scope, limit) => {
      const { where, values } = partsIn(scope)
      const order = 'ORDER BY count DESC, path, component, severity LIMIT ?'
      return file
        .rows(
          'SELECT path, component, severity, sum(count) AS count, sum(datasets) AS datasets, min(messages) AS messages ' +
            `FROM rule WHERE ${where} GROUP BY path, component, severity ${order}`,
          ...values,
          limit,
        )
        .map(ruleOf)
    },
    unreachableByHost: (scope, limit) => {
      const { where, values } = partsIn(scope)
      const sums = 'sum(urls) AS urls, sum(datasets) AS datasets'
      const most = `SELECT status FROM host WHERE ${where} AND host = ? GROUP BY status ORDER BY sum(urls) DESC, status LIMIT 1`
      return file
        .rows(
          `SELECT host, ${sums} FROM host WHERE ${where} GROUP BY host ORDER BY urls DESC, host LIMIT ?`,
          ...values,
          limit,
        )
        .map(({ host, urls, datasets }): UnreachableHost => ({
          host: String(host),
          urls: Number(urls),
          datasets: Number(datasets),
          status: Number(file.first(most, ...values, String(host))?.['status']),
        }))
    },
  }
}

type Parts = { readonly where: string; readonly values: readonly string[] }

/** The rows of a scope, each thing once: those of whole catalogues, or those of one publisher. */
function partsIn(scope: Scope): Parts {
  const served = 'edition IN (SELECT edition FROM catalogue'
  if (scope === 'global') return { where: `publisher = '' AND ${served})`, values: [] }
  if ('catalogue' in scope)
    return { where: `publisher = '' AND ${served} WHERE id = ?)`, values: [scope.catalogue] }
  if ('country' in scope)
    return { where: `publisher = '' AND ${served} WHERE country = ?)`, values: [scope.country] }
  return { where: `publisher = ? AND ${served})`, values: [scope.publisher] }
}

const datasetColumns = 'dataset.id, titles, languages, score, points'

/** Best and worst: a few of each catalogue by its index, then a few of those. */
function ends(file: Sqlite, names: Names): Pick<Figures, 'best' | 'worst'> {
  const datasetOf = (catalogue: unknown, row: Row): DatasetFigures => ({
    id: String(row['id']),
    iri: names.dataset(String(row['id'])),
    catalogue: String(catalogue),
    titles: JSON.parse(String(row['titles'])),
    languages: JSON.parse(String(row['languages'])),
    score: Number(row['score']),
    points: JSON.parse(String(row['points'])),
  })
  const found = (scope: Scope, direction: 'DESC' | 'ASC', limit: number): DatasetFigures[] => {
    const order = `ORDER BY score ${direction}, dataset.id LIMIT ?`
    if (typeof scope !== 'string' && 'publisher' in scope) {
      const of = 'SELECT id FROM catalogue WHERE catalogue.edition = dataset.edition'
      return file
        .rows(
          `SELECT ${datasetColumns}, (${of}) AS catalogue FROM dataset WHERE publisher = ? AND score IS NOT NULL ` +
            `AND edition IN (SELECT edition FROM catalogue) ${order}`,
          scope.publisher,
          limit,
        )
        .map((row) => datasetOf(row['catalogue'], row))
    }
    return editionsIn(file, scope).flatMap(({ id, edition }) =>
      file
        .rows(
          `SELECT ${datasetColumns} FROM dataset WHERE edition = ? AND score IS NOT NULL ${order}`,
          Number(edition),
          limit,
        )
        .map((row) => datasetOf(id, row)),
    )
  }
  const first = (scope: Scope, sign: 1 | -1, limit: number) =>
    found(scope, sign === 1 ? 'ASC' : 'DESC', limit)
      .sort(
        (one, other) =>
          sign * ((one.score ?? 0) - (other.score ?? 0)) || compareCodePoints(one.id, other.id),
      )
      .slice(0, limit)
  return {
    best: (scope, limit) => first(scope, -1, limit),
    worst: (scope, limit) => first(scope, 1, limit),
  }
}

function editionsIn(file: Sqlite, scope: Exclude<Scope, { publisher: string }>) {
  if (scope === 'global') return file.rows('SELECT id, edition FROM catalogue')
  if ('catalogue' in scope)
    return file.rows('SELECT id, edition FROM catalogue WHERE id = ?', scope.catalogue)
  return file.rows('SELECT id, edition FROM catalogue WHERE country = ?', scope.country)
}

function pages(file: Sqlite, names: Names): Pick<Figures, 'violations' | 'unreachable'> {
  const editionOf = (catalogue: string) =>
    Number(file.first('SELECT edition FROM catalogue WHERE id = ?', catalogue)?.['edition'] ?? 0)
  const joined = (table: string, order: string) =>
    `SELECT * FROM (SELECT * FROM ${table} WHERE edition = ?1 ORDER BY dataset, ${order}, number LIMIT ?2 OFFSET ?3) AS found ` +
    `JOIN dataset ON dataset.edition = ?1 AND dataset.id = found.dataset ORDER BY found.dataset, ${order}, number`
  const total = (table: string, column: string) =>
    `SELECT sum(${column}) AS n FROM ${table} WHERE edition = ? AND publisher = ''`
  const page =
    <One>(rows: string, count: string, of: (row: Row, names: Names) => One) =>
    (catalogue: string, { offset, limit }: Page): Listed<One> => {
      const edition = editionOf(catalogue)
      return {
        count: Number(file.first(count, edition)?.['n'] ?? 0),
        rows: file.rows(rows, edition, limit, offset).map((row) => of(row, names)),
      }
    }
  return {
    violations: page(joined('violation', 'path'), total('rule', 'count'), violationOf),
    unreachable: page(joined('url', 'url'), total('host', 'urls'), unreachableOf),
  }
}
