/** Pages of the desk with many drafts, files and versions; and the share that versions have of writes. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openRecords } from '../../src/repository/records-file.ts'
import { DraftFile, draftTables } from '../../src/repository/drafts/draft-file.ts'
import {
  lineDifference,
  VersionFile,
  versionSchema,
} from '../../src/repository/versions/version-file.ts'
import { signedIn } from '../portal/signed-in.ts'
import { client, gateway, type Gateway } from '../support/gateway.ts'
import { prefixes, repository } from '../support/repository.ts'
import { percentile, table, timed } from './figures.ts'

const key = 'key-of-everything'
const [drafts, files, versions, rounds, writes] = [9_990, 100, 200, 40, 300]

const file = (n: number) => `[ a dcat:Distribution ; dct:title "File ${n}"@en ;
  dcat:accessURL <https://data.example/${n}> ; dcat:downloadURL <https://data.example/${n}.csv> ;
  dct:format <http://publications.europa.eu/resource/authority/file-type/CSV> ]`
const dataset = (title: string, more = '') =>
  `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ; dct:description "What it is about."@en ; dcat:keyword "water"@en ${more} .`

/** Writes drafts into the file of a platform that is not running. */
function fillDrafts(directory: string): void {
  const records = openRecords(join(directory, 'records.sqlite'), [versionSchema, draftTables])
  const list = new DraftFile(records, Date.now)
  records.transaction(() => {
    for (let n = 0; n < drafts; n += 1) {
      const graph = `<http://localhost:8080/set/data/draft-${n}> <http://purl.org/dc/terms/title> "Draft ${n}"@en .\n`
      const record = { type: 'datasets', id: `draft-${n}`, originalId: `draft-${n}`, graph }
      const author = { author: 'someone', authorName: 'Anna' }
      list.add({ ...record, ...author, catalogue: 'rivers', title: { en: `Draft ${n}` } })
    }
  })
  records.close()
}

type Call = (n: number) => Promise<Response>

/** Milliseconds and sizes of a page; throws for an answer that is an error. */
async function measured(name: string, call: Call): Promise<(string | number)[]> {
  const times: number[] = []
  let text = ''
  for (let n = 0; n < rounds; n += 1)
    times.push(
      await timed(async () => {
        const answer = await call(n)
        text = await answer.text()
        if (answer.status >= 400) throw new Error(`${name}: ${answer.status} ${text.slice(0, 300)}`)
      }),
    )
  const sizes = [text.length, gzipSync(text).length].map((bytes) => (bytes / 1000).toFixed(1))
  return [name, percentile(times, 0.5), percentile(times, 0.95), ...sizes]
}

async function pages(platform: Gateway): Promise<string> {
  const api = client({ url: platform.url, key })
  await api.put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`)
  const many = Array.from({ length: files }, (_, n) => file(n)).join(', ')
  const headers = { 'X-API-Key': key, 'Content-Type': 'text/turtle', Accept: 'application/json' }
  const address = `${api.repo}/drafts/datasets?catalogue=rivers`
  const body = dataset('A hundred files', `; dcat:distribution ${many}`)
  const made = await fetch(address, { method: 'POST', headers, body })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of our own platform
  const { id } = (await made.json()) as { id: string }
  await api.putDataset('rivers', 'levels', dataset('Levels'))
  for (let n = 0; n < versions; n += 1) await api.put('/datasets/levels', dataset(`Levels ${n}`))
  const desk = await signedIn(platform, key)
  const form = `/en/desk/datasets/${id}`
  const query = '?catalogue=rivers'
  const rows = [['page', 'p50 ms', 'p95 ms', 'kB', 'kB gzip'] as (string | number)[]]
  const show = async (name: string, path: string) => {
    await desk.get(path)
    rows.push(await measured(name, () => desk.get(path)))
  }
  await show(`desk, ${drafts} drafts`, '/en/desk')
  await show('list of drafts', '/en/desk/datasets')
  await show(`form, essentials, ${files} files`, `${form}/essentials${query}`)
  await show(`form, list of ${files} files`, `${form}/files${query}`)
  await show(`check, ${files} files`, `${form}/check${query}`)
  await show(`history, ${versions} versions`, '/en/desk/datasets/levels/history')
  const text = await desk.page(`${form}/essentials${query}`)
  const [, title = ''] = /name="(title\.~[^"]+)"/.exec(text) ?? []
  const save: Call = (n) =>
    desk.post(`${form}/essentials${query}`, { [title]: `A hundred files ${n}`, do: 'save' })
  rows.push(await measured('save, with the page of the token', save))
  return table(rows)
}

/** Share that noting versions has of writes into an embedded repository: the comparison of the states, and the row in the file. */
async function versionCosts(): Promise<string> {
  const repo = await repository({ limits: { writesPerKey: 10_000 } })
  const { prototype } = VersionFile
  const note = Reflect.get(prototype, 'note')
  const spent = { noting: 0, comparing: 0 }
  prototype.note = function timedNote(changes, author) {
    const start = performance.now()
    for (const { before, after } of changes) lineDifference(before, after)
    const compared = performance.now()
    note.call(this, changes, author)
    spent.comparing += compared - start
    spent.noting += performance.now() - compared
  }
  const shares: string[] = []
  try {
    await repo.putCatalogue('rivers')
    const text = (n: number) => dataset(`Levels ${n}`, `; dcat:distribution ${file(1)}, ${file(2)}`)
    for (const [name, idOf] of [
      ['warm', (n: number) => `warm-${n}`],
      ['new', (n: number) => `new-${n}`],
      ['changed', () => 'new-1'],
    ] as const) {
      Object.assign(spent, { noting: 0, comparing: 0 })
      const ms = await timed(async () => {
        for (let n = 0; n < writes; n += 1) await repo.putDataset('rivers', idOf(n), text(n))
      })
      // The comparison was made twice.
      const share = (spent.noting + spent.comparing) / (ms - spent.comparing)
      if (name !== 'warm') shares.push(`${name} ${(share * 100).toFixed(1)} %`)
    }
  } finally {
    prototype.note = note
    await repo.close()
  }
  return `share of versions in a PUT without HTTP: ${shares.join(', ')}`
}

export async function deskBench(directory: string, say: (text: string) => void): Promise<void> {
  const folder = join(directory, 'desk')
  const env = { PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }) }
  // A data directory with a file of records needs a store.
  await (await gateway(folder, env)).stop()
  fillDrafts(folder)
  const platform = await gateway(folder, env)
  try {
    say(`## desk\n${await pages(platform)}`)
  } finally {
    await platform.stop()
  }
  say(await versionCosts())
}
