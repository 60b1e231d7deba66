/** What the parts can do by themselves, in this run and on this machine: the measure that ratios are taken against. */

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Parser } from 'n3'
import { Store } from 'oxigraph'
import { parseStream } from '../../src/rdf/reading/parse-stream.ts'
import { tokens } from '../../src/text/tokens.ts'
import { timed } from './figures.ts'

/** The bare parser over the whole dump, without keeping anything (ms). */
export const parseOnly = (file: string): Promise<number> =>
  timed(async () => {
    for await (const batch of parseStream(createReadStream(file), 'ntriples', {
      baseIri: 'urn:x',
    })) {
      if (batch.length === 0) throw new Error('an empty batch')
    }
  })

/** n3 alone over the text in memory (ms). */
export async function bareN3(file: string): Promise<number> {
  const text = await readFile(file, 'utf8')
  return timed(() => {
    if (new Parser({ format: 'N-Triples' }).parse(text).length === 0)
      throw new Error('nothing parsed')
  })
}

/** Oxigraph loading the dump into one graph, without durability (ms). */
export async function bareStore(file: string): Promise<number> {
  const text = await readFile(file)
  return timed(() =>
    new Store().load(text, { format: 'application/n-triples', no_transaction: true }),
  )
}

/** FTS5 taking the records' texts in transactions of 100, without columns or facets (ms). */
export function bareIndex(texts: readonly string[], file: string): Promise<number> {
  return timed(() => {
    const db = new DatabaseSync(file)
    db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
      CREATE VIRTUAL TABLE fts USING fts5(text, content='', contentless_delete=1, tokenize='ascii')`)
    const insert = db.prepare('INSERT INTO fts(rowid, text) VALUES (?, ?)')
    texts.forEach((text, n) => {
      if (n % 100 === 0) db.exec('BEGIN')
      insert.run(n + 1, tokens(text).join(' '))
      if (n % 100 === 99 || n === texts.length - 1) db.exec('COMMIT')
    })
    db.close()
  })
}
