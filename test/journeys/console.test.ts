/** What the console can do on a running platform: from its door, and from the command line. */

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { prefixes } from '../support/repository.ts'

const ids = Array.from({ length: 12 }, (_, n) => `data-${n}`)

let directory: string
let platform: Gateway
let api: ReturnType<typeof client>
beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory, { PLATFORM_HUB_SHELL_CONFIG: '{"http":{}}' })
  api = client(platform)
  await api.put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
  for (const id of ids)
    await api.putDataset('city', id, `${prefixes}<> a dcat:Dataset ; dct:title "Water ${id}"@en .`)
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const said = async (line: string): Promise<string> => {
  const answer = await fetch(`${platform.url}/shell/exec`, {
    method: 'POST',
    headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/plain' },
    body: line,
  })
  return answer.text()
}
const count = async () =>
  (
    await api.json<{ result: { count: number } }>(
      `${api.search}/search?q=water&filters=dataset&limit=0`,
    )
  ).result.count

const asked = (...words: string[]) =>
  cartulary(words, { env: { CARTULARY_SERVER: platform.url, CARTULARY_KEY: platform.key } })

describe('the console of a running platform', () => {
  it('knows the commands of all its services', async () => {
    const help = await said('help')
    const names = `adopt boost cancel clear confirm disable draft dryrun duplicates enable exit facets help index
      installVocabularies jobs launch pending pipe pipes reconcile refresh reindex reload repair restore
      resume retry run runs sitemap status tombstones triggers version vocabularies`
    for (const name of names.split(/\s+/)) expect(help).toMatch(new RegExp(`^${name}\\b`, 'm'))
  })

  it('brings the index up to the store', async () => {
    expect(await said('index city')).toBe('13 records projected\nCommand finished\n')
    expect(await said('index nowhere')).toMatch(/^Command failed: there is no catalogue nowhere/)
    expect(await said('reindex dataset catalogue')).toBe('13 records indexed\nCommand finished\n')
    expect(await said('reindex data')).toMatch(/^Command failed: there is no index data; /)
    expect(await said('reconcile --dry-run')).toBe(
      '13 records compared: 0 missing, 0 stale, 0 too many\ndrift 0, repaired 0\nCommand finished\n',
    )
    expect(await said('status')).toMatch(/^reconciled +\{"at":"[^"]+","compared":13,"missing":0/m)
    expect(await said('pending')).toBe('0 records pending\nCommand finished\n')
    expect(await count()).toBe(ids.length)
  })

  it('installs vocabularies, lists them, and makes the sitemap anew', async () => {
    expect(await said('installVocabularies data-theme access-right')).toMatch(
      /^(data-theme {2}created|access-right {2}created)[^]*Command finished\n$/,
    )
    expect(await said('vocabularies')).toMatch(
      /^access-right {2}\d+ concepts\ndata-theme {2}\d+ concepts\n2 vocabularies\n/,
    )
    expect(await said('installVocabularies no-such-table')).toMatch(
      /^no-such-table {2}failed: not bundled[^]*Command failed: not all of them/,
    )
    expect(await said('sitemap')).toBe('13 addresses\nCommand finished\n')
    expect(await said('facets')).toMatch(/Command finished\n$/)
  })

  it('clears a catalogue, tells what went, and brings one of it back', async () => {
    expect(await said('clear nowhere')).toMatch(/^Command failed: /)
    expect(await said('clear city')).toBe(
      '12 datasets of city deleted; restore brings them back\nCommand finished\n',
    )
    await expect.poll(count).toBe(0)
    const stones = await said('tombstones city')
    expect(stones.match(/^data-\d+ {2}city {2}\S+Z$/gm)).toHaveLength(12)
    expect(stones).toMatch(/\n12 tombstones\nCommand finished\n$/)
    expect(await said('restore data-7')).toBe('1 dataset restored\nCommand finished\n')
    expect(await said('restore data-99')).toMatch(/^Command failed: /)
    await expect.poll(count).toBe(1)
    expect(await said('repair city')).toBe('nothing to repair\nCommand finished\n')
    expect(await said('repair addresses --dry-run')).toBe('nothing to repair\nCommand finished\n')
    expect(await said('repair store --dry-run')).not.toContain('removed')
  })

  it('keeps what is found when it clears a catalogue and is told to', async () => {
    expect(await said('clear city -k')).toMatch(/^1 dataset of city deleted/)
    expect(await count()).toBe(1)
    expect(await said('reconcile')).toMatch(/0 stale, 1 too many\ndrift 1, repaired 1\n/)
    expect(await count()).toBe(0)
    const numbers = async () => (await fetch(`${platform.url}/metrics`)).text()
    expect(await numbers()).toContain('cartulary_index_drift{kind="extra"} 1\n')
    expect(await numbers()).toContain('cartulary_index_repaired 1\n')
    // The store is looked at every two seconds.
    await expect.poll(numbers, { timeout: 10_000 }).toMatch(/^cartulary_store_quads [1-9]\d*$/m)
    expect(await numbers()).toMatch(/^cartulary_store_dead_quads [1-9]\d*$/m)
    expect(await (await fetch(`${platform.url}/health`)).json()).toMatchObject({
      reconciled: { missing: 0, stale: 0, extra: 1, repaired: 1 },
    })
  })

  it('answers clearly what cannot be launched', async () => {
    expect(await said('launch city nothing')).toMatch(/^Command failed: /)
    expect(await said('launch nothing')).toBe('Command failed: Pipe nothing not available\n')
  })

  it('does the same from the command line, with help and exit codes', async () => {
    expect(await asked('console', 'reconcile', '--dry-run')).toMatchObject({ code: 0 })
    const help = await asked('console', 'reindex', '--help')
    expect(help.code).toBe(0)
    expect(help.out).toMatch(/^reindex \[index…\]/m)
    expect((await asked('console', 'index', 'nowhere')).code).toBe(1)
    expect((await asked('console', 'reindx')).code).toBe(2)
  })

  it('has verbs of the program, which are its commands', async () => {
    const done = { code: 0, err: '' }
    const listed = await asked('pipe', 'list')
    expect(listed).toMatchObject({ ...done, out: expect.stringMatching(/^metrics /) })
    expect(await asked('reindex', 'dataset')).toMatchObject(done)
    const compared = await asked('reconcile', '--dry-run')
    expect(compared).toMatchObject({ ...done, out: expect.stringContaining('drift 0') })
    expect(await asked('draft', 'list')).toMatchObject({ ...done, out: '0 drafts\n' })
    expect((await asked('version', 'list', 'data-3')).code).toBe(0)
    const made = await asked('key', 'new', 'gis export', '--may', 'reader:*', '--days', '9')
    expect(made.out).toMatch(/which is not shown again:\nctl_/)
    const [, id = ''] = /key of (program-\w+)/.exec(made.out) ?? []
    const unsure = await asked('key', 'revoke', id)
    expect([unsure.code, unsure.err]).toEqual([2, expect.stringContaining('--yes')])
    expect(await asked('key', 'revoke', id, '--yes')).toMatchObject({ ...done, out: 'revoked\n' })
    expect((await asked('key', 'list')).out).toMatch(new RegExp(`${id} .*gis export .*revoked`))
    expect((await asked('pipe', 'run', 'nowhere')).err).toContain('Pipe nowhere not available')
  })

  it('understands the commands that the page on administration names', async () => {
    const page = await readFile(new URL('../../docs/administration.md', import.meta.url), 'utf8')
    const lines = [...page.matchAll(/^npx cartulary (.*)$/gm)].map(([, words = '']) => words)
    expect(lines.length).toBeGreaterThan(12)
    const ended = await Promise.all(
      lines.map(async (line) => {
        const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, a, b]) => a ?? b ?? '')
        return { line, ...(await asked(...words, '--yes')) }
      }),
    )
    // The drafts that it names are not there.
    expect(ended.filter(({ code }) => code !== 0 && code !== 1)).toEqual([])
    expect(ended.filter(({ err }) => !/^(?:Command failed: .*\n)?$/.test(err))).toEqual([])
  })
})
