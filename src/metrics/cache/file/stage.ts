/** Writes a new edition of a catalogue beside the one that is served. */

import type { Row, Sqlite } from '../../../sqlite.ts'
import type { FoundDataset } from '../counting/dataset.ts'
import { newPart, type Part } from '../counting/part.ts'
import type { Tally } from '../counting/tally.ts'
import type { CatalogueFigures, ScoreBand } from '../figures.ts'

/** An edition that is complete and waits to be served. */
export type Staged = {
  readonly edition: number
  readonly catalogue: CatalogueFigures
  readonly tally: Tally
  /** Publisher → its name, for those that have datasets here. */
  readonly publishers: ReadonlyMap<string, string>
}

export type Stage = {
  /** Written with the next rows, in their order. */
  add(datasets: readonly FoundDataset[]): Promise<void>
  /** What was counted, part by part. */
  finish(): Promise<Staged>
}

/** Rows of a transaction: some milliseconds. */
const rowsPerTurn = 500

export function newStage(
  file: Sqlite,
  catalogue: CatalogueFigures,
  { bands, turn }: { readonly bands: readonly ScoreBand[]; readonly turn: () => Promise<void> },
): Stage {
  const edition = file.run('INSERT INTO edition (catalogue) VALUES (?)', catalogue.id).serial
  const whole = newPart(bands)
  const parts = new Map<string, Part>([['', whole]])
  const publishers = new Map<string, string>()
  const partOf = (publisher: string): Part => {
    const known = parts.get(publisher)
    if (known) return known
    const part = newPart(bands)
    parts.set(publisher, part)
    return part
  }
  let waiting: (() => void)[] = []
  // Few transactions: each writes the pages of the indices anew.
  const writeAll = () => {
    const rows = waiting
    waiting = []
    file.transaction(() => rows.forEach((row) => row()))
  }
  const write = async (rows: Iterable<() => void>) => {
    for (const row of rows) {
      waiting.push(row)
      if (waiting.length < rowsPerTurn) continue
      writeAll()
      await turn()
    }
  }
  return {
    add: async (datasets) => {
      for (const dataset of datasets) {
        whole.add(dataset)
        await write(datasetRows(file, edition, dataset))
        const { publisher } = dataset
        if (!publisher) continue
        if ((publishers.get(publisher.key) ?? publisher.key) === publisher.key)
          publishers.set(publisher.key, publisher.name)
        partOf(publisher.key).add(dataset)
      }
    },
    finish: async () => {
      await write(partRows(file, edition, parts))
      writeAll()
      return { edition, catalogue, tally: whole.tally(), publishers }
    },
  }
}

function* datasetRows(
  file: Sqlite,
  edition: number,
  { id, publisher, titles, languages, measured }: FoundDataset,
): Generator<() => void> {
  if (!measured) return
  const { score, points, violations, urls } = measured
  const [texts, tags] = [JSON.stringify(titles), JSON.stringify(languages)]
  yield () =>
    file.run(
      'INSERT OR REPLACE INTO dataset VALUES (?, ?, ?, ?, ?, ?, ?)',
      edition,
      id,
      publisher?.key ?? null,
      texts,
      tags,
      score,
      JSON.stringify(points),
    )
  for (const [number, { path, severity, component, value, messages }] of violations.entries())
    yield () =>
      file.run(
        'INSERT OR REPLACE INTO violation VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        edition,
        id,
        path,
        number,
        severity,
        component,
        value,
        JSON.stringify(messages),
      )
  for (const [number, { url, distribution, type, status, checked }] of urls.entries())
    yield () =>
      file.run(
        'INSERT OR REPLACE INTO url VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        edition,
        id,
        url,
        number,
        distribution,
        type,
        status,
        checked,
      )
}

function* partRows(
  file: Sqlite,
  edition: number,
  parts: ReadonlyMap<string, Part>,
): Generator<() => void> {
  for (const [publisher, part] of parts) {
    const tally = JSON.stringify(part.tally())
    yield () => file.run('INSERT INTO part VALUES (?, ?, ?)', edition, publisher, tally)
    for (const { path, component, severity, count, datasets, messages } of part.rules())
      yield () =>
        file.run(
          'INSERT INTO rule VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
          edition,
          publisher,
          path,
          component,
          severity,
          count,
          datasets,
          JSON.stringify(messages),
        )
    for (const { host, status, urls, datasets } of part.hosts())
      yield () =>
        file.run(
          'INSERT INTO host VALUES (?, ?, ?, ?, ?, ?)',
          edition,
          publisher,
          host,
          status,
          urls,
          datasets,
        )
  }
}

/** Tables of an edition whose rows are many, by dataset. */
const byDataset = [
  ['violation', 'dataset'],
  ['url', 'dataset'],
  ['dataset', 'id'],
] as const

/** Deletes editions that no catalogue names: those of old, and what a crash or an abort left. */
export async function dropOldEditions(file: Sqlite, turn: () => Promise<void>): Promise<void> {
  const old = 'SELECT number FROM edition WHERE number NOT IN (SELECT edition FROM catalogue)'
  for (const { number } of file.rows(old)) await dropEdition(file, Number(number), turn)
}

async function dropEdition(
  file: Sqlite,
  edition: number,
  turn: () => Promise<void>,
): Promise<void> {
  for (const [table, key] of byDataset) {
    for (;;) {
      const end = endOf(file.first(chunkEnd(table, key), edition))
      if (end === undefined) break
      file.run(`DELETE FROM ${table} WHERE edition = ? AND ${key} <= ?`, edition, end)
      await turn()
    }
  }
  file.transaction(() => {
    for (const table of ['part', 'rule', 'host'])
      file.run(`DELETE FROM ${table} WHERE edition = ?`, edition)
    file.run('DELETE FROM edition WHERE number = ?', edition)
  })
}

/** The key up to which some hundred rows lie. */
const chunkEnd = (table: string, key: string) =>
  `SELECT max(k) AS k FROM (SELECT ${key} AS k FROM ${table} WHERE edition = ? ORDER BY ${key} LIMIT ${rowsPerTurn})`

const endOf = (row: Row | undefined): string | undefined =>
  typeof row?.['k'] === 'string' ? row['k'] : undefined
