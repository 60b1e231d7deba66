/** What stewards see and do: every action is a form, and a page says what it did; a key sees what it may. */

import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { signedIn } from './signed-in.ts'

const prefixes =
  '@prefix dcat: <http://www.w3.org/ns/dcat#> .\n@prefix dct: <http://purl.org/dc/terms/> .\n'
/** Datasets of the source by number: their titles. */
const bridges = new Map(Array.from({ length: 12 }, (_, at) => [at, `Bridge ${at}`]))
let hasNameless = false
let isGone = false
let moreNameless = 0
let opened = Promise.resolve()
const document = () => {
  const known = [...bridges].map(
    ([at, title]) =>
      `<https://roads.example/${at}> a dcat:Dataset ; dct:identifier "bridge-${at}" ; dct:title "${title}"@en .\n`,
  )
  const more = '[] a dcat:Dataset ; dct:title "Nameless"@en .\n'.repeat(moreNameless)
  return `${prefixes}${known.join('')}${more}${hasNameless ? '[] a dcat:Dataset ; dct:title "Viaduct of Tann"@en .\n' : ''}`
}

let directory: string
let platform: Gateway
let source: Server
const [all, water, timing, publisher] = [
  'key-for-everything-0001',
  'key-for-water-alone-0001',
  'key-for-triggers-0001',
  'key-for-publishing-0001',
]

const pipe = (name: string, catalogue: string, address: string) => ({
  header: {
    id: name,
    name,
    title: `Source of ${catalogue}`,
    version: '2.0.0',
    transport: 'payload',
  },
  body: {
    segments: [
      {
        header: { name: 'importing-rdf', segmentNumber: 1 },
        body: { config: { address, catalogue, inputFormat: 'text/turtle' } },
      },
      {
        header: { name: 'exporting-hub', segmentNumber: 2 },
        body: { config: { guardMinimum: 1 } },
      },
    ],
  },
})

beforeAll(async () => {
  directory = await temporaryDirectory()
  source = createServer(({ url = '' }, answer) => {
    if (isGone || url.endsWith('?moved')) answer.statusCode = 410
    const send = () => answer.setHeader('Content-Type', 'text/turtle').end(document())
    void opened.then(send)
  })
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}/bridges.ttl`
  const pipes = join(directory, 'pipes')
  await mkdir(pipes)
  for (const name of ['roads', 'water'])
    await writeFile(join(pipes, `${name}.json`), JSON.stringify(pipe(name, name, address)))
  const gone = pipe('moved', 'water', `${address}?moved`)
  await writeFile(join(pipes, 'moved.json'), JSON.stringify(gone))
  await writeFile(join(pipes, 'broken.json'), '{ "header": ')
  // Where the tests look for the key that a fresh platform makes.
  await writeFile(join(directory, 'api-key'), all)
  platform = await gateway(directory, {
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      [all]: ['*'],
      [water]: ['water'],
      [timing]: ['water', 'PUT /pipes/water/triggers/*'],
      [publisher]: ['publisher:water'],
    }),
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
    PLATFORM_LOG_LEVEL: 'info',
  })
  for (const name of ['roads', 'water'])
    await fetch(`${client(platform).repo}/catalogues/${name}`, {
      method: 'PUT',
      headers: { 'X-API-Key': all, 'Content-Type': 'text/turtle' },
      body: `${prefixes}<> a dcat:Catalog ; dct:title "Catalogue of ${name}"@en .`,
    })
}, 60_000)
afterAll(async () => {
  await platform.stop()
  source.close()
  await remove(directory)
})

const run = async (name: string, end = 'finished') => {
  const answer = await fetch(`${platform.url}/api/scheduler/pipes/${name}/runs`, {
    method: 'POST',
    headers: { 'X-API-Key': all },
  })
  const { id } = (await answer.json()) as { id: string }
  const state = async () =>
    ((await (await fetch(`${platform.url}/api/scheduler/runs/${id}`)).json()) as { status: string })
      .status
  await expect.poll(state).toBe(end)
  return id
}

const steward = (key: string) => signedIn(platform, key)

it('lists in which nothing is yet say so', async () => {
  const { page } = await steward(all)
  expect(await page('/en/harvest/runs')).toContain('No runs yet')
  expect(await page('/en/harvest/pipes/roads')).toContain('No runs yet')
  expect(await page('/en/harvest/waiting')).toContain('Nothing waits for you')
  expect(await page('/en/harvest/deleted')).toContain('Nothing is deleted')
})

it('a failed record is named with its line two steps from the list of sources', async () => {
  await run('roads')
  hasNameless = true
  await run('roads')
  hasNameless = false
  const { page } = await steward(all)
  const sources = await page('/en/harvest')
  expect(sources).toContain('Incomplete')
  expect(sources).toContain('<bdi>Catalogue of roads</bdi>')
  const [, path = ''] = /href="(\/en\/harvest\/runs\/[^"]+)"/.exec(sources) ?? []
  const report = await page(path)
  expect(report).toContain('<li><a href="/en/harvest/pipes/roads">Source of roads</a></li>')
  expect(await page('/en/harvest/runs')).toMatch(/<a href="[^"]*pipes\/roads">Source of roads<\/a>/)
  expect(report).toContain('The record has no identifier')
  expect(report).toContain('Ask the source to give each dataset')
  expect(report).toContain('Viaduct of Tann')
  expect(report).toContain('(line 15)')
  expect(report).toMatch(/<bdi>127[^<]*<\/bdi><\/dt><dd>One request answered with 200<\/dd>/)
  expect(report).not.toContain('took 0 seconds')
  expect(report).toContain('Nothing was removed, because the run was incomplete')
})

it('a file that holds no pipe stands first, with what is wrong in it, and cannot be run', async () => {
  const text = await (await steward(all)).page('/en/harvest')
  const [, first = ''] = /<tbody[^>]*><tr[^>]*>([^]*?)<\/tr>/.exec(text) ?? []
  expect(first).toContain('broken.json')
  expect(first).toContain('Not readable')
  expect(first).toMatch(/<bdi>[^<]*JSON \(line 1\)/)
  expect(first).not.toMatch(/<button|<a /)
  expect(await (await steward(water)).page('/en/harvest')).not.toContain('broken.json')
})

it('a run can be had as a table for spreadsheets', async () => {
  const id = await run('roads')
  const { get } = await steward(all)
  const answer = await get(`/en/harvest/runs/${id}/items.csv`)
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/csv/)
  expect((await answer.text()).split('\r\n')[0]).toContain('originalId')
})

it('a dry run shows what would change, writes nothing, and can be run for real', async () => {
  bridges.set(3, 'Bridge 3, renamed')
  const { page, post } = await steward(all)
  const started = await post('/en/harvest/pipes/roads', { do: 'dry' })
  expect(started.status).toBe(303)
  const path = started.headers.get('Location') ?? ''
  await expect.poll(() => page(path), { timeout: 20_000 }).toContain('Dry run: what would change')
  const shown = await page(path)
  expect(shown).toMatch(/<del>[^<]*Bridge 3&quot;@en/)
  expect(shown).toMatch(/<ins>[^<]*Bridge 3, renamed/)
  expect(shown).toContain('1 would change, 11 are as they were, none is new')
  expect(shown).toMatch(/class="button primary"[^>]* value="run">[^]*Run for real/)
  expect(shown).not.toContain('value="dry"')
  const { search } = client(platform)
  const titles = await (await fetch(`${search}/search?filters=dataset&q=renamed`)).json()
  expect(titles).toMatchObject({ result: { count: 0 } })
})

it('a run that has just begun says that there are no records yet, and can be cancelled', async () => {
  const { page, post } = await steward(all)
  const gate = Promise.withResolvers<void>()
  opened = gate.promise
  const { headers } = await post('/en/harvest/pipes/roads', { do: 'run' })
  const path = headers.get('Location') ?? ''
  const begun = await page(path)
  expect(begun).toContain('<p role="status"><strong>No records yet</strong></p>')
  expect(begun).toContain('value="cancel"')
  await post(path, { do: 'cancel' })
  gate.resolve()
  await expect.poll(() => page(path)).not.toContain('value="cancel"')
})

it('removals wait until somebody has looked, and can be kept, carried out and restored', async () => {
  for (const at of [0, 1, 2, 4, 5]) bridges.delete(at)
  const id = await run('roads')
  const { page, post } = await steward(all)
  expect(await page('/en/harvest')).toContain('Removals (1)')
  const held = `/en/harvest/runs/${id}/held`
  expect(await page('/en/harvest/waiting')).toContain(held)
  const waits = await page('/en/desk/waiting')
  expect(waits).toMatch(
    new RegExp(
      `<h2 id="steward-waiting">Removals[^]*<a href="${held}">Source of roads</a>[^]*5 removals wait`,
    ),
  )
  expect(await (await steward(water)).page('/en/desk/waiting')).not.toContain(held)
  // A run that did not see all of the source decides nothing.
  hasNameless = true
  await run('roads')
  hasNameless = false
  expect(await page('/en/harvest/waiting')).toContain(held)
  const choice = await page(held)
  expect(choice).toContain('5 removals wait for you')
  expect(choice).toMatch(/href="http:\/\/127[^"]*bridges.ttl">Open the source<\/a>/)
  expect(choice).toContain('<a href="/en/datasets/bridge-5">Bridge 5</a>')

  const unread = await post(`/en/harvest/runs/${id}`, { do: 'confirm' })
  expect(unread.status).toBe(400)
  expect(await page(held)).toContain('5 removals wait for you')

  const feed = /\/en\/harvest\/failures\/[\w-]{43}\.atom/.exec(await page('/en/harvest'))?.[0]
  const entries = async () => (await fetch(`${platform.url}${feed}`)).text()
  expect(await entries()).toContain('roads: Waiting for you')

  const kept = await post(`/en/harvest/runs/${id}`, { do: 'keep' })
  expect(await entries()).not.toContain('roads: Waiting for you')
  expect(await page(kept.headers.get('Location') ?? '')).toContain('Nothing was removed')
  expect(await page('/en/harvest')).not.toContain('Removals (')
  expect(await page('/en/desk/waiting')).not.toContain(held)
  expect(await page('/en/harvest/waiting')).toContain('Nothing waits for you')
  const tooLate = await post(`/en/harvest/runs/${id}`, { do: 'confirm', sure: 'yes' })
  expect([tooLate.status, tooLate.headers.get('Location')]).toEqual([303, held])
  expect(await page(held)).toMatch(/5 records were kept\. [^<]*\(<time/)

  const again = `/en/harvest/runs/${await run('roads')}`
  const confirmed = await post(again, { do: 'confirm', sure: 'yes' })
  expect(confirmed.status).toBe(303)
  const settled = await page(confirmed.headers.get('Location') ?? '')
  expect(settled).toContain('The records are being removed')
  expect(settled).not.toContain('Look at them and decide')
  expect(settled).not.toContain('Removals (')
  for (const action of ['confirm', 'keep']) {
    const second = await post(again, { do: action, sure: 'yes' })
    expect([second.status, second.headers.get('Location')]).toEqual([303, `${again}/held`])
  }
  await expect
    .poll(() => page(`${again}/held`))
    .toMatch(/5 records were removed; nothing waits any more\. \(<time/)
  await expect.poll(() => page('/en/harvest/deleted')).toContain('bridge-5')
  expect(await page('/en/harvest/deleted')).toContain('<bdi>Catalogue of roads</bdi>')
  expect(await page('/en/harvest/deleted')).toMatch(/Bridge 5<[^]*<code>bridge-5<\/code>/)
  const restored = await post('/en/harvest/deleted/dataset/bridge-5', { do: 'restore' })
  expect(await page(restored.headers.get('Location') ?? '')).toContain('The record is restored')
  expect((await fetch(`${client(platform).repo}/datasets/bridge-5`)).status).toBe(200)
  const twice = await post('/en/harvest/deleted/dataset/bridge-5', { do: 'restore' })
  expect(twice.status).toBe(303)
  expect(await page(twice.headers.get('Location') ?? '')).toContain('The record is there already')
  expect((await post('/en/harvest/deleted/dataset/none', { do: 'restore' })).status).toBe(404)
})

it('what was done already is said on the page of the run, and is no error', async () => {
  const id = await run('water')
  const { page, post } = await steward(all)
  for (const action of ['cancel', 'retry', 'confirm', 'keep']) {
    const late = await post(`/en/harvest/runs/${id}`, { do: action, sure: 'yes' })
    expect([action, late.status]).toEqual([action, 303])
    expect(await page(late.headers.get('Location') ?? '')).toContain('Nothing was done now')
  }
})

it('a key for one catalogue sees its pipe and its runs, and no button that it may not press', async () => {
  const roads = await run('roads')
  const own = await run('water')
  const { get, page, post } = await steward(water)
  const sources = await page('/en/harvest')
  expect(sources).toContain('Source of water')
  expect(sources).not.toContain('Source of roads')
  expect(sources).toMatch(/Your key is for one catalogue[^<]*: <code>water<\/code>/)
  expect(await (await steward(all)).page('/en/harvest')).not.toContain('Your key is for')
  expect(sources).not.toContain('value="run"')
  expect(await page('/en/harvest/runs')).not.toContain(roads)
  expect((await get(`/en/harvest/runs/${own}`)).status).toBe(200)
  for (const path of [
    `runs/${roads}`,
    `runs/${roads}/held`,
    `runs/${roads}/items.csv`,
    'pipes/roads',
  ])
    expect([path, (await get(`/en/harvest/${path}`)).status]).toEqual([path, 404])
  hasNameless = true
  const incomplete = await run('water')
  hasNameless = false
  const [mine, theirs] = [await page(`/en/harvest/runs/${incomplete}`), await steward(all)]
  expect(mine).not.toMatch(/name="do" value="(?:retry|resume|cancel)"/)
  expect(await theirs.page(`/en/harvest/runs/${incomplete}`)).toContain('value="retry"')
  expect((await post('/en/harvest/pipes/roads', { do: 'run' })).status).toBe(403)
  expect((await post(`/en/harvest/runs/${roads}`, { do: 'retry' })).status).toBe(403)
})

it('the page of a pipe draws what its runs counted, says the last of it in words, and has no inline style', async () => {
  await run('roads')
  const { page } = await steward(all)
  const text = await page('/en/harvest/pipes/roads')
  const [chart = '', runs, most] =
    /<svg [^>]*aria-label="The newest (\d+) runs, with at most (\d+) records; in the last one[^]*?<\/svg>/.exec(
      text,
    ) ?? []
  expect(chart).toContain('role="img"')
  expect(Number(most)).toBeGreaterThanOrEqual(12)
  const heights = [...chart.matchAll(/<rect class="good"[^>]* height="([\d.]+)"/g)]
  expect(heights.length).toBe(Number(runs))
  expect(Math.max(...heights.map(([, height]) => Number(height)))).toBeGreaterThan(70)
  // One run failed at a record, one held removals back.
  expect(chart).toMatch(/class="bad"[^>]* height="[1-9]/)
  expect(chart).toMatch(/class="warn"[^>]* height="[1-9]/)
  expect(text).not.toContain('style=')
})

it('failed, incomplete and held runs are a feed for everybody who knows its address, which differs by key and is not logged', async () => {
  const feedOf = async (key: string) => {
    const { page } = await steward(key)
    const [path = ''] =
      /\/en\/harvest\/failures\/[\w-]{43}\.atom/.exec(await page('/en/harvest')) ?? []
    return path
  }
  const [path, own] = [await feedOf(all), await feedOf(water)]
  expect([await feedOf(all), own === path]).toEqual([path, false])
  const answer = await fetch(platform.url + path)
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/atom+xml'])
  expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
  const feed = await answer.text()
  const titles = [...feed.matchAll(/<entry>.*?<title>([^<]*)/g)].map(([, title]) => title)
  expect(titles).toContain('roads: Incomplete')
  expect(titles.join()).not.toMatch(/Complete|Dry run/)
  expect(feed).toMatch(/<link rel="alternate" href="http[^"]*\/en\/harvest\/runs\/[^"]+"/)
  expect(await (await fetch(platform.url + own)).text()).not.toContain('roads')

  const token = /failures\/(.*)\.atom/.exec(path)?.[1] ?? ''
  for (const wrong of [token.slice(1), `${token}A`, 'A'.repeat(43), token.toLowerCase()])
    expect((await fetch(`${platform.url}/en/harvest/failures/${wrong}.atom`)).status).toBe(404)
  expect((await fetch(platform.url + path.replace('/en/', '/xx/'))).status).toBe(404)
  await expect.poll(() => platform.log()).toContain('/en/harvest/failures/•••')
  expect(platform.log()).not.toContain(token)
})

it('a pipe starts by itself when somebody says how often, until the trigger is removed', async () => {
  const { page, post } = await steward(all)
  const set = await post('/en/harvest/pipes/water', {
    do: 'schedule',
    unit: 'WEEK',
    next: '2030-01-07T03:00',
  })
  expect([set.status, set.headers.get('Location')]).toEqual([
    303,
    '/en/harvest/pipes/water?did=schedule',
  ])
  expect(await page(set.headers.get('Location') ?? '')).toContain('7 Jan 2030')
  const wrong = await post('/en/harvest/pipes/water', { do: 'schedule', unit: 'AEON' })
  expect(wrong.status).toBe(400)
  const removed = await post('/en/harvest/pipes/water', { do: 'unschedule', trigger: 'portal' })
  expect(await page(removed.headers.get('Location') ?? '')).not.toContain('7 Jan 2030')
  const twice = await post('/en/harvest/pipes/water', { do: 'unschedule', trigger: 'portal' })
  expect(twice.status).toBe(303)
})

it('a key that may set triggers and not remove them gets no button that removes one', async () => {
  const path = '/en/harvest/pipes/water'
  await (await steward(all)).post(path, { do: 'schedule', unit: 'DAY', next: '2099-01-01T00:00' })
  const mine = await (await steward(timing)).page(path)
  expect(mine).toContain('value="schedule"')
  expect(mine).not.toContain('value="unschedule"')
  expect(await (await steward(all)).page(path)).toContain('value="unschedule"')
})

it('a group of problems counts all of its records, of which it lists a hundred', async () => {
  moreNameless = 105
  const path = `/en/harvest/runs/${await run('roads')}`
  moreNameless = 0
  const report = await (await steward(all)).page(path)
  expect(report).toContain('<span class="n">105 records</span>')
  expect(report).toContain('100 of 105 records')
})

it('an action that is none is refused, and leaves everything as it is', async () => {
  const id = await run('water')
  const { get, post } = await steward(all)
  for (const name of ['', 'delete', '__proto__', 'constructor'])
    expect((await post(`/en/harvest/runs/${id}`, { do: name })).status).toBe(400)
  expect((await post('/en/harvest/runs/nope', { do: 'cancel' })).status).toBe(404)
  expect((await get('/en/harvest/runs/nope/items.csv')).status).toBe(404)
})

it('a source that is gone is shown with our sentence and with the cause', async () => {
  const id = await run('moved', 'failed')
  const { page } = await steward(all)
  const told =
    /<bdi>There is nothing at the address of the source: http:\/\/127[^<]*\?moved answered 410\.<\/bdi>/
  expect(await page('/en/harvest')).toMatch(told)
  expect(await page(`/en/harvest/runs/${id}`)).toMatch(told)
  const again = await run('moved', 'failed')
  const waits = await (await steward(water)).page('/en/desk/waiting')
  const list = /<h2 id="waiting-failing">Sources that fail[^]*?<\/ul>/.exec(waits)?.[0]
  expect(list).toMatch(told)
  expect(list).toContain(`<a href="/en/harvest/runs/${again}">Source of water</a>`)
  expect(list).not.toContain(id)
  // No run before them is known, so that there may have been more failures.
  expect(list).not.toContain('in a row')
  expect(await (await steward(publisher)).page('/en/desk/waiting')).not.toContain('Sources that')
  isGone = true
  for (const _ of [1, 2]) await run('water', 'failed')
  isGone = false
  expect(await (await steward(water)).page('/en/desk/waiting')).toContain('2 times in a row')
  await run('water')
  expect(await (await steward(water)).page('/en/desk/waiting')).not.toContain('in a row')
})
