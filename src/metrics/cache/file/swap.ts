/** Makes staged editions the ones that are served: one transaction, in which figures and snapshots change with them. */

import type { Sqlite } from '../../../sqlite.ts'
import { summed, type Tally } from '../counting/tally.ts'
import { keepSnapshots, type Kind } from './history.ts'
import type { Staged } from './stage.ts'

/** The figures of a scope that spans catalogues; without a tally it is gone. */
type Figure = {
  readonly kind: Exclude<Kind, 'catalogue'>
  readonly key: string
  readonly name?: string
  readonly tally: Tally | undefined
}

export type Swap = {
  readonly staged: readonly Staged[]
  /** Ids of catalogues that are hidden now: their history stays, unseen. */
  readonly hidden: readonly string[]
  /** Ids of catalogues that are no more. */
  readonly gone: readonly string[]
  /** Everything was read anew. */
  readonly isWhole: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

type Served = {
  readonly id: string
  readonly edition: number
  readonly country: string | null
  /** Only when it is needed: there may be thousands. */
  readonly tally: () => Tally
}

/** What is summed before others have a turn. */
const talliesPerTurn = 300

/** Swaps the editions in; answers the number of the refresh. Nobody else may write to the file meanwhile. */
export async function swapIn(file: Sqlite, swap: Swap, turn: () => Promise<void>): Promise<number> {
  const before = served(file)
  const left = new Set([...swap.staged.map(({ catalogue }) => catalogue.id), ...out(swap)])
  const after: Served[] = [
    ...before.filter(({ id }) => !left.has(id)),
    ...swap.staged.map(({ catalogue: { id, country }, edition, tally }) => ({
      id,
      edition,
      country,
      tally: () => tally,
    })),
  ]
  const changed = before.filter(({ id }) => left.has(id))
  const figures = [
    { kind: 'global' as const, key: '', tally: await sumOf(after, turn) },
    ...(await countryFigures(swap, { changed, after }, turn)),
    ...(await publisherFigures(file, swap, { changed, after }, turn)),
  ]
  return file.transaction(() => {
    for (const one of swap.staged) serve(file, one)
    for (const id of out(swap)) file.run('DELETE FROM catalogue WHERE id = ?', id)
    for (const id of swap.gone)
      file.run("DELETE FROM history WHERE kind = 'catalogue' AND key = ?", id)
    for (const figure of figures) keep(file, figure)
    keepSnapshots(file, swap.at, [
      ...swap.staged.map(({ catalogue, tally }) => snapshot('catalogue', catalogue.id, tally)),
      ...figures.flatMap(({ kind, key, tally }) => (tally ? [snapshot(kind, key, tally)] : [])),
    ])
    if (swap.isWhole) file.run(putState, 'whole', swap.at)
    return numbered(file, swap.at)
  }, 'durable')
}

const out = ({ hidden, gone }: Swap): readonly string[] => [...hidden, ...gone]
const snapshot = (kind: Kind, key: string, tally: Tally) => ({ kind, key, tally })

const putState = 'INSERT OR REPLACE INTO state VALUES (?, ?)'

/** The number of what is served grows with everything that changes it. */
export function numbered(file: Sqlite, at: number): number {
  const number = Number(file.first("SELECT value FROM state WHERE name = 'number'")?.['value'] ?? 0)
  file.run(putState, 'number', number + 1)
  file.run(putState, 'at', at)
  return number + 1
}

const parsed = (text: unknown): Tally => JSON.parse(String(text))

const served = (file: Sqlite): Served[] =>
  file.rows('SELECT id, edition, country, tally FROM catalogue').map((row) => ({
    id: String(row['id']),
    edition: Number(row['edition']),
    country: typeof row['country'] === 'string' ? row['country'] : null,
    tally: () => parsed(row['tally']),
  }))

async function sumOf(
  parts: readonly Pick<Served, 'tally'>[],
  turn: () => Promise<void>,
): Promise<Tally> {
  const sums: Tally[] = []
  for (let at = 0; at < parts.length; at += talliesPerTurn) {
    sums.push(summed(parts.slice(at, at + talliesPerTurn).map(({ tally }) => tally())))
    await turn()
  }
  return summed(sums)
}

type Sides = { readonly changed: readonly Served[]; readonly after: readonly Served[] }

async function countryFigures(
  { staged }: Swap,
  { changed, after }: Sides,
  turn: () => Promise<void>,
): Promise<Figure[]> {
  const countries = new Set([
    ...changed.map(({ country }) => country),
    ...staged.map(({ catalogue }) => catalogue.country),
  ])
  const figures: Figure[] = []
  for (const key of countries) {
    if (key === null) continue
    const own = after.filter(({ country }) => country === key)
    const tally = own.length === 0 ? undefined : await sumOf(own, turn)
    figures.push({ kind: 'country', key, tally })
  }
  return figures
}

async function publisherFigures(
  file: Sqlite,
  { staged }: Swap,
  { changed, after }: Sides,
  turn: () => Promise<void>,
): Promise<Figure[]> {
  const names = new Map<string, string | undefined>()
  for (const { edition } of changed)
    for (const row of file.rows(
      "SELECT publisher FROM part WHERE edition = ? AND publisher <> ''",
      edition,
    ))
      names.set(String(row['publisher']), undefined)
  for (const { publishers } of staged) for (const [key, name] of publishers) names.set(key, name)
  const editions = new Set(after.map(({ edition }) => edition))
  const figures: Figure[] = []
  for (const [key, name] of names) {
    const parts = file
      .rows('SELECT edition, tally FROM part WHERE publisher = ?', key)
      .filter(({ edition }) => editions.has(Number(edition)))
      .map((row) => parsed(row['tally']))
    const tally = parts.length === 0 ? undefined : summed(parts)
    figures.push({ kind: 'publisher', key, ...(name !== undefined && { name }), tally })
    if (figures.length % 50 === 0) await turn()
  }
  return figures
}

function serve(file: Sqlite, { edition, catalogue, tally }: Staged): void {
  const { id, titles, descriptions, languages, country, type } = catalogue
  const [scored, points] = tally.score
  file.run(
    'INSERT OR REPLACE INTO catalogue VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    edition,
    JSON.stringify(titles),
    JSON.stringify(descriptions),
    JSON.stringify(languages),
    country,
    type,
    scored === 0 ? null : points / scored,
    JSON.stringify(tally),
  )
}

function keep(file: Sqlite, { kind, key, name, tally }: Figure): void {
  if (!tally) {
    file.run('DELETE FROM figure WHERE kind = ? AND key = ?', kind, key)
    return
  }
  file.run(
    'INSERT INTO figure VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET name = coalesce(excluded.name, name), ' +
      'datasets = excluded.datasets, tally = excluded.tally',
    kind,
    key,
    name ?? null,
    tally.all,
    JSON.stringify(tally),
  )
}
