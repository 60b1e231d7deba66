/** The scratch store of an import: triples kept by graph and subject, found again whatever order they came in. */
import { DatabaseSync } from 'node:sqlite'
import { termText } from '../../../rdf/lines.ts'
import { dcat, foaf, rdf } from '../../../rdf/namespaces.ts'
import type { Statement } from '../../../rdf/lines.ts'
import { keyHash } from './key-hash.ts'

/** A described node: its N-Triples text, and the text of the graph that describes it (`''` = default graph). */
export type Place = { readonly term: string; readonly graph: string }

export type Spool = {
  /** Takes a batch; nothing can be found before `finish`. */
  readonly add: (statements: readonly Statement[]) => void
  readonly finish: () => void
  /** The N-Triples lines about a node in one graph, `\n` after each; `''` when there are none. */
  readonly describe: (place: Place) => string
  readonly datasetCount: () => number
  /** Every node typed as dataset or series, once, in the order of the document. */
  readonly datasets: () => Iterable<Place>
  /** Catalogues by type or because they link datasets, sorted by their text. */
  readonly catalogues: () => readonly Place[]
  /** Texts of the catalogues that link a dataset, sorted. */
  readonly cataloguesOf: (dataset: string) => readonly string[]
  readonly hasLinks: () => boolean
  /** Data services that no distribution names: how many, and the texts of the first. */
  readonly services: () => { readonly count: number; readonly first: readonly string[] }
  /** Catalogue records about a dataset. */
  readonly recordsOf: (dataset: string) => readonly Place[]
  /** Whether the original id is new in its catalogue; the second asker gets `false`. */
  readonly claim: (catalogue: string, originalId: string) => boolean
  readonly close: () => void
}

/** Triples that are grouped in memory before they go to SQLite as rows. */
const batchSize = 20_000

// A database without a name is SQLite's own temporary file: in memory while the cache holds it, on disk beyond,
// and gone when the process is, however it ends.
const schema = `
  PRAGMA page_size = 8192; PRAGMA cache_size = -32768; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
  CREATE TABLE chunk (hash INTEGER, key TEXT, lines TEXT);
  CREATE TABLE dataset (term TEXT, graph TEXT, UNIQUE (term, graph));
  CREATE TABLE catalogue (term TEXT, graph TEXT, typed INTEGER, PRIMARY KEY (term, graph)) WITHOUT ROWID;
  CREATE TABLE link (dataset TEXT, catalogue TEXT);
  CREATE TABLE topic (dataset TEXT, term TEXT, graph TEXT);
  CREATE TABLE service (term TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE served (term TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE claim (catalogue TEXT, id TEXT, PRIMARY KEY (catalogue, id)) WITHOUT ROWID;
  BEGIN`
const indexes = `
  CREATE INDEX chunk_hash ON chunk (hash);
  CREATE INDEX link_dataset ON link (dataset, catalogue);
  CREATE INDEX topic_dataset ON topic (dataset, term, graph);`

// Of a catalogue in several graphs the description is in the graph of its own name, else where it has its type.
const cataloguesInOrder =
  'SELECT term, graph FROM catalogue ORDER BY term, term = graph DESC, typed DESC, graph'

const loneServices =
  'FROM service WHERE term NOT IN (SELECT term FROM served) AND term NOT IN (SELECT term FROM dataset)'
const namedServices = 10

const keyOf = (term: string, graph: string) => (graph === '' ? term : `${term} ${graph}`)
const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Opens an empty spool. Throws SQLite's error when the temporary folder cannot be written. */
export function openSpool(): Spool {
  const database = new DatabaseSync('')
  database.exec(schema)
  const filling = fill(database)
  return {
    add: filling.add,
    finish: () => {
      filling.flush()
      database.exec(indexes)
    },
    ...reading(database),
    close: () => database.close(),
  }
}

function fill(database: DatabaseSync) {
  const chunk = database.prepare('INSERT INTO chunk VALUES (?, ?, ?)')
  const noted = notes(database)
  const groups = new Map<string, string>()
  let waiting = 0
  const flush = () => {
    for (const [key, lines] of groups) chunk.run(keyHash(key), key, lines)
    groups.clear()
    waiting = 0
  }
  const add = (statements: readonly Statement[]) => {
    for (const statement of statements) {
      if (noted(statement)) continue
      const key = keyOf(statement.subject, statement.graph)
      groups.set(key, (groups.get(key) ?? '') + statement.line)
      waiting += 1
    }
    if (waiting >= batchSize) flush()
  }
  return { add, flush }
}

/** Notes what a triple says about datasets, catalogues and records; `true` when it is a link and needs no other place. */
function notes(database: DatabaseSync) {
  const dataset = database.prepare('INSERT OR IGNORE INTO dataset VALUES (?, ?)')
  const catalogue = database.prepare(
    'INSERT INTO catalogue VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET typed = max(typed, excluded.typed)',
  )
  const link = database.prepare('INSERT INTO link VALUES (?, ?)')
  const topic = database.prepare('INSERT INTO topic VALUES (?, ?, ?)')
  const service = database.prepare('INSERT OR IGNORE INTO service VALUES (?)')
  const served = database.prepare('INSERT OR IGNORE INTO served VALUES (?)')
  const type = rdf('type').value
  const datasetTypes = new Set([dcat('Dataset'), dcat('DatasetSeries')].map((t) => termText(t)))
  const [catalogueType, serviceType] = [dcat('Catalog'), dcat('DataService')].map((t) =>
    termText(t),
  )
  const accessService = dcat('accessService').value
  const [datasetLink, recordLink] = [dcat('dataset').value, dcat('record').value]
  const primaryTopic = foaf('primaryTopic').value
  let lastCatalogue = ''
  return ({ subject: term, predicate, object, graph }: Statement): boolean => {
    switch (predicate) {
      case type:
        if (datasetTypes.has(object)) dataset.run(term, graph)
        else if (object === catalogueType) catalogue.run(term, graph, 1)
        else if (object === serviceType) service.run(term)
        return false
      case accessService:
        served.run(object)
        return false
      case datasetLink:
        if (lastCatalogue !== keyOf(term, graph)) catalogue.run(term, graph, 0)
        lastCatalogue = keyOf(term, graph)
        link.run(object, term)
        return true
      case recordLink:
        return true
      case primaryTopic:
        topic.run(object, term, graph)
        return false
      default:
        return false
    }
  }
}

function reading(database: DatabaseSync) {
  const chunks = database.prepare('SELECT key, lines FROM chunk WHERE hash = ?')
  const graphs = database.prepare('SELECT graph FROM dataset WHERE term = ? ORDER BY graph')
  const links = database.prepare('SELECT DISTINCT catalogue FROM link WHERE dataset = ? ORDER BY 1')
  const topics = database.prepare('SELECT DISTINCT term, graph FROM topic WHERE dataset = ?')
  const claims = database.prepare('INSERT OR IGNORE INTO claim VALUES (?, ?)')
  const all = database.prepare('SELECT term, graph FROM dataset ORDER BY rowid')
  const one = (sql: string) => Number(database.prepare(sql).get()?.['n'] ?? 0)
  const place = (row: Record<string, unknown>): Place => ({
    term: text(row['term']),
    graph: text(row['graph']),
  })
  const describe = ({ term, graph }: Place) => {
    const key = keyOf(term, graph)
    let lines = ''
    for (const row of chunks.all(keyHash(key))) if (row['key'] === key) lines += text(row['lines'])
    return lines
  }
  // A dataset that several graphs describe is the one in the graph of its own name, else in the first.
  const isHome = ({ term, graph }: Place) => {
    const names = graphs.all(term).map((row) => text(row['graph']))
    return graph === (names.includes(term) ? term : names[0])
  }
  return {
    describe,
    datasetCount: () => one('SELECT count(DISTINCT term) AS n FROM dataset'),
    *datasets() {
      const single = one('SELECT count(DISTINCT graph) AS n FROM dataset') < 2
      for (const row of all.iterate()) if (single || isHome(place(row))) yield place(row)
    },
    catalogues: () => {
      const rows = database.prepare(cataloguesInOrder).all().map(place)
      return rows.filter((row, at) => row.term !== rows[at - 1]?.term)
    },
    cataloguesOf: (dataset: string) => links.all(dataset).map((row) => text(row['catalogue'])),
    services: () => {
      const first = database.prepare(
        `SELECT term ${loneServices} ORDER BY 1 LIMIT ${namedServices}`,
      )
      return {
        count: one(`SELECT count(*) AS n ${loneServices}`),
        first: first.all().map((row) => text(row['term'])),
      }
    },
    hasLinks: () => one('SELECT EXISTS (SELECT 1 FROM link) AS n') > 0,
    recordsOf: (dataset: string) => topics.all(dataset).map(place),
    claim: (catalogue: string, id: string) => claims.run(catalogue, id).changes === 1,
  }
}
