/** The file of the search index breaks while the platform runs: it is filled again from the store, without a restart. */

import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const count = 200

let directory: string
let platform: Gateway
let api: ReturnType<typeof client>

const dataset = (n: number) => `${prefixes}<> a dcat:Dataset ; dct:title "Lasting number${n}"@en .`

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  api = client(platform)
  await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  for (let n = 0; n < count; n++) {
    await api.putDataset('c', `d-${n}`, dataset(n), { Prefer: 'respond-async' })
  }
})

afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const search = () => fetch(`${api.search}/search?filters=dataset&q=lasting&limit=0`)

/** Everything but the first page, which says that this is a database. */
function damage(): void {
  const path = join(directory, 'search', 'index.db')
  const db = new DatabaseSync(path, { timeout: 5000 })
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const page = 4096
  const file = openSync(path, 'r+')
  for (let at = page; at < statSync(path).size; at += page) {
    writeSync(file, Buffer.alloc(page, 0xfe), 0, page, at)
  }
  closeSync(file)
}

it('answers 503 or what is right, and finds everything again', async () => {
  const found = async () => {
    const answer = await search()
    if (answer.status === 200) {
      const { result } = (await answer.json()) as { result: { count: number } }
      return result.count
    }
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    return 0
  }
  await expect.poll(found, { timeout: 60_000 }).toBe(count)
  damage()
  await api.putDataset('c', 'late', dataset(count))
  const seen: number[] = []
  const all = async () => {
    const now = await found()
    seen.push(now)
    return now
  }
  await expect.poll(all, { timeout: 60_000 }).toBe(count + 1)
  // Half of an answer looks like a whole one.
  expect(new Set(seen)).toEqual(new Set([...seen].filter((n) => n === 0 || n >= count)))
  expect(platform.log()).toContain('index.damaged')
})
