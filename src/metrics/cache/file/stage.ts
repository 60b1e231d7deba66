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
  /** One transaction. */
  add(datasets: readonly FoundDataset[]): void
  /** What was counted, part by part, with turns for others in between. */
  finish(turn: () => Promise<void>): Promise<Staged>
}

/** Rows of a transaction where others wait for a turn. */
const rowsPerTurn = 500

export function newStage(
  file: Sqlite,
  catalogue: CatalogueFigures,
  bands: readonly ScoreBand[],
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
  return {
    add: (datasets) => {
      for (const dataset of datasets) {
        whole.add(dataset)
        const { publisher } = dataset
        if (!publisher) continue
        if ((publishers.get(publisher.key) ?? publisher.key) === publisher.key)
          publishers.set(publisher.key, publisher.name)
        partOf(publisher.key).add(dataset)
      }
      file.transaction(() => datasets.forEach((dataset) => writeDataset(file, edition, dataset)))
    },
    finish: async (turn) => {
      let waiting: (() => void)[] = []
      for (const write of partRows(file, edition, parts)) {
        waiting.push(write)
        if (waiting.length < rowsPerTurn) continue
        flush(file, waiting)
        waiting = []
        await turn()
      }
      flush(file, waiting)
      return { edition, catalogue, tally: whole.tally(), publishers }
    },
  }
}

const flush = (file: Sqlite, writes: readonly (() => void)[]) =>
  file.transaction(() => writes.forEach((write) => write()))

function writeDataset(file: Sqlite, edition: number, dataset: FoundDataset): void {
  const { id, publisher, titles, languages, measured } = dataset
  if (!measured) return
  file.run(
    'INSERT OR REPLACE INTO dataset VALUES (?, ?, ?, ?, ?, ?, ?)',
    edition,
    id,
    publisher?.key ?? null,
    JSON.stringify(titles),
    JSON.stringify(languages),
    measured.score,
    JSON.stringify(measured.points),
  )
  measured.violations.forEach(({ path, severity, component, value, messages }, number) =>
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
    ),
  )
  measured.urls.forEach(({ url, distribution, type, status, checked }, number) =>
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
    ),
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
