/** Backup, verify and restore as an operator types them. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let folder: string
let platform: Gateway
beforeAll(async () => {
  ;[directory, folder] = [await temporaryDirectory(), await temporaryDirectory()]
  platform = await gateway(directory)
  const { put, putDataset } = client(platform)
  await put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
  await putDataset('city', 'd1', `${prefixes}<> a dcat:Dataset ; dct:title "Trees"@en .`)
}, 60_000)
afterAll(async () => {
  await platform.stop()
  await Promise.all([directory, folder].map(remove))
})

const run = (words: string) => cartulary(words.split(' '), { cwd: folder })

it('backs up a running platform, verifies, restores elsewhere, and the records are there', async () => {
  const backup = await run(`backup today.tar.zst --data ${directory} --with-key`)
  expect([backup.code, backup.err]).toEqual([0, ''])
  expect(backup.out).toMatch(/ files, .* MB, graphs \d+, catalogues 1, datasets 1; without index\n/)
  const verify = await run('verify today.tar.zst --json')
  expect(verify.code).toBe(0)
  expect(JSON.parse(verify.out)).toMatchObject({ counts: { datasets: 1 } })
  expect((await run('restore today.tar.zst --data new')).code).toBe(0)
  const restored = await gateway(join(folder, 'new'))
  expect(restored.key).toBe(platform.key)
  const answer = await fetch(`${restored.url}/api/hub/repo/datasets/d1.nt`)
  expect(await answer.text()).toContain('"Trees"@en')
  const inUse = await run('restore today.tar.zst --data new --force')
  expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining('is in use')])
  await restored.stop()
  expect((await run('restore today.tar.zst --data new')).err).toContain('use --force')
  expect((await run('restore today.tar.zst --data new --force')).code).toBe(0)
})

it('a damaged backup is exit code 5 with the name of the file', async () => {
  await run(`backup broken --data ${directory}`)
  const path = join(folder, 'broken', 'records.sqlite')
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000)
  writeFileSync(path, bytes)
  const { code, err } = await run('verify broken')
  expect([code, err]).toEqual([5, expect.stringContaining('records.sqlite: its content')])
})

it.each([
  ['backup', 2, "missing required argument 'target'"],
  ['backup x --keep none', 2, '--keep none: a whole number from 1'],
  ['backup x --data nowhere', 1, 'is no data directory'],
  ['verify nowhere', 5, 'does not exist'],
  ['restore nowhere --data other', 1, 'does not exist'],
])('%s ends with %i', async (words, exitCode, message) => {
  const { code, err } = await run(words)
  expect([code, err]).toEqual([exitCode, expect.stringContaining(message)])
  expect(readdirSync(folder)).not.toContain('other')
})

it('exports what is stored, graph by graph, with the facts of the platform only where asked', async () => {
  const { code, out } = await run(`export --files --data ${directory}`)
  expect(code).toBe(0)
  expect(out).toContain('"Trees"@en <http://localhost:8080/set/data/d1> .\n')
  expect(out).not.toContain('<urn:cartulary:system> .')
  const all = await run(`export --files --all --data ${directory}`)
  expect(all.out).toContain('<urn:cartulary:system> .\n')
  const quads = all.out.trim().split('\n')
  expect(quads.every((line) => /^<[^>]+> <[^>]+> .+ <[^>]+> \.$/.test(line))).toBe(true)
  expect((await run('export --files --data nowhere')).err).toContain('has no embedded store')
  expect((await run(`export --files --catalogue city --data ${directory}`)).code).toBe(2)
})
