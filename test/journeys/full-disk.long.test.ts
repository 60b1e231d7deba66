/** The disk of the data directory fills up: reads go on, also after a restart, and health and metrics say why writes do not. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { client, gateway, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import { signedIn } from '../portal/signed-in.ts'

const place = mkdtempSync(join(tmpdir(), 'cartulary-disk-'))

/** A file system of 64 MB of our own, or why there is none. */
const missing = ((): string | undefined => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', place], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    return `SKIPPED: a file system of our own cannot be mounted here (${String(error).split('\n')[0]})`
  }
})()
if (missing !== undefined) process.stderr.write(`${missing}\n`)

const directory = join(place, 'data')
const filler = join(place, 'filler')
const fillUp = () => {
  const { bavail, bsize } = statfsSync(place)
  writeFileSync(filler, Buffer.alloc(bavail * bsize, 1))
}

const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`

type Health = { status: string; store: Record<string, unknown>; disk: { free: number } }

describe.skipIf(missing !== undefined)('a full disk', () => {
  let platform: Gateway
  afterAll(async () => {
    await platform.stop()
    execFileSync('umount', [place])
    rmSync(place, { recursive: true })
  })

  const health = async () => {
    const answer = await fetch(`${platform.url}/health`)
    return { code: answer.status, ...((await answer.json()) as Health) }
  }
  const metric = async (name: string) => {
    const text = await (await fetch(`${platform.url}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  }
  const reads = async () => {
    const { repo, search, query } = client(platform)
    const answers = [
      await fetch(`${repo}/datasets/one`),
      await fetch(`${search}/datasets/one`),
      await fetch(`${search}/search?q=first`),
      await query('ASK {}'),
    ]
    return answers.map(({ status }) => status)
  }
  const writes = async (id: string) =>
    (await client(platform).putDataset('c', id, dataset(`A ${id}`))).status

  it('refuses writes, shows it, and serves reads', async () => {
    platform = await gateway(directory)
    const { put, putDataset } = client(platform)
    await put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
    expect((await putDataset('c', 'one', dataset('The first'))).status).toBe(201)
    expect(await health()).toMatchObject({ status: 'up', store: { writes: true } })
    const begun = { title: 'Typed on a full disk', catalogue: 'c' }
    const person = await signedIn(platform, platform.key)
    const form = (await person.post('/en/desk/new', begun)).headers.get('Location') ?? ''
    expect(form).toContain('/essentials?')
    fillUp()
    const typed = `${'All that was typed. '.repeat(40_000)}The end.`
    const answer = await person.post(form, { 'description.+en': typed })
    expect([answer.status, (await answer.text()).includes(typed)]).toEqual([507, true])
    const turtle = form.replace('essentials', 'turtle')
    const rdf = `${prefixes}<> a dcat:Dataset ; dct:description "${typed}" .`
    const text = await person.post(turtle, { do: 'save', rdf, revision: '1' })
    expect([text.status, (await text.text()).includes('The end.')]).toEqual([507, true])
    const refusals: number[] = []
    let retryAfter = 0
    for (let n = 0; n < 400 && !refusals.includes(503); n++) {
      const answer = await putDataset(
        'c',
        `more-${n}`,
        dataset(`More ${'of it '.repeat(5000)}${n}`),
        { Prefer: 'respond-async' },
      )
      refusals.push(answer.status)
      retryAfter = Number(answer.headers.get('Retry-After'))
    }
    expect(refusals.at(-1)).toBe(503)
    expect(retryAfter).toBeGreaterThan(0)
    expect(await health()).toMatchObject({
      code: 200,
      status: 'degraded',
      store: { writes: false, reason: 'disk-full', lastWriteError: { reason: 'disk-full' } },
    })
    expect(await metric('cartulary_store_writable')).toBe(0)
    expect(
      await metric('cartulary_store_write_failures_total{reason="disk-full"}'),
    ).toBeGreaterThan(0)
    expect(await metric('cartulary_data_disk_free_bytes')).toBeLessThan(2 ** 20)
    expect(await reads()).toEqual([200, 200, 200, 200])
  }, 120_000)

  it.each(['stop', 'kill'] as const)(
    'serves reads after a %s and a start, and takes no writes',
    async (end) => {
      await platform[end]()
      rmSync(filler, { force: true })
      fillUp()
      platform = await gateway(directory)
      expect(await reads()).toEqual([200, 200, 200, 200])
      expect(await writes('late')).toBe(503)
      expect(await health()).toMatchObject({
        status: 'degraded',
        store: { writes: false, reason: 'disk-full' },
      })
      expect((await fetch(`${platform.url}/health/ready`)).status).toBe(200)
    },
    120_000,
  )

  it('takes writes again by itself when there is room', async () => {
    rmSync(filler)
    await expect.poll(() => writes('late'), { timeout: 30_000 }).toBe(201)
    expect(await health()).toMatchObject({ status: 'up', store: { writes: true } })
    expect(await metric('cartulary_store_writable')).toBe(1)
  }, 60_000)
})
