/** Previews of what strangers serve, over HTTP: a table or a sentence, within bounds, and from nowhere else. */

import { randomBytes } from 'node:crypto'
import { createServer, get as httpGet, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { harmIn, hostileStrings } from './hostile-strings.ts'

let directory: string
let platform: Gateway
let source: Server
/** Paths that were asked for, and bytes that were taken of the file without an end. */
const asked: string[] = []
/** Whether the host that comes back has hung up once. */
let hasFailed = false
let endless = { written: 0, isClosed: false }

const bomb = new Uint8Array(60 * 2 ** 20)
/** A zip that says of its content that it is ten bytes: the size stands in both of its headers. */
function lyingZip(name: string): Uint8Array {
  const zip = Buffer.from(zipSync({ [name]: bomb }, { level: 9 }))
  zip.writeUInt32LE(10, zip.indexOf('PK\u0003\u0004', 'latin1') + 22)
  zip.writeUInt32LE(10, zip.indexOf('PK\u0001\u0002', 'latin1') + 24)
  return zip
}
const sheet = (rows: string) =>
  strToU8(
    `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
  )
const workbook = (rows: Uint8Array) =>
  zipSync(
    {
      '[Content_Types].xml': strToU8(
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
      ),
      'xl/workbook.xml': strToU8(
        '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Levels" sheetId="1" r:id="rId1"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      ),
      'xl/worksheets/sheet1.xml': rows,
    },
    { level: 9 },
  )
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const [csv, xlsx] = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]
const tooLarge = 'larger than 25 MB'

type Case = readonly [
  what: string,
  name: string,
  type: string,
  body: Uint8Array | string,
  shown: string,
]
const files: readonly Case[] = [
  ['CSV', 'table', csv, 'station,level\nOber,12\n', '<td class="num"><bdi>12</bdi>'],
  [
    'TSV in UTF-16',
    'utf-16',
    'text/plain',
    Buffer.from('\ufeffa\tb\nä\tö\n', 'utf16le'),
    '<bdi>ä</bdi>',
  ],
  [
    'CSV from Windows',
    'windows',
    csv,
    Buffer.from('a;b\nGr\xfc\xdfe;x\n', 'latin1'),
    '<bdi>Grüße</bdi>',
  ],
  [
    'a workbook',
    'workbook',
    xlsx,
    workbook(
      sheet(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Station</t></is></c><c r="B1"><v>12</v></c></row>',
      ),
    ),
    '<h2>Levels</h2>',
  ],
  ['a gzip bomb', 'gzip-bomb', csv, gzipSync(bomb), tooLarge],
  ['a zip bomb', 'zip-bomb', 'application/zip', zipSync({ 'a.csv': bomb }, { level: 9 }), tooLarge],
  [
    'a zip bomb that says it is small',
    'lying',
    'application/zip',
    lyingZip('a.csv'),
    'encoding of the file is unknown',
  ],
  ['a workbook that is a bomb', 'workbook-bomb', xlsx, workbook(bomb), tooLarge],
  [
    'zip in zip',
    'nested',
    'application/zip',
    zipSync({ 'a.csv': zipSync({ 'b.csv': strToU8('a,b\n1,2\n') }) }),
    'another format',
  ],
  [
    'binary called CSV',
    'binary',
    csv,
    Uint8Array.from([1, 0, 2, 0, ...randomBytes(5000)]),
    'encoding of the file is unknown',
  ],
  ['HTML called XLSX', 'login', xlsx, '<!doctype html><title>Sign in</title>', 'needs a login'],
  [
    'GeoJSON, with a map',
    'areas',
    'application/geo+json',
    JSON.stringify({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [8, 47] },
          properties: { name: 'Ober' },
        },
      ],
    }),
    'Map of the area covered: 8° E, 47° N',
  ],
  [
    'GeoJSON in metres, without one',
    'metres',
    'application/geo+json',
    '{"type":"FeatureCollection","features":[{"geometry":{"type":"Point","coordinates":[2600000,1200000]},"properties":{"name":"Bern"}}]}',
    '<div class="section" id="preview"><div class="scroll',
  ],
  ['JSON Lines', 'lines', 'application/x-ndjson', '{"a":1}\n{"a":2,"b":"x"}\n', '<bdi>x</bdi>'],
  [
    'a list within an object',
    'list',
    'application/json',
    '{"count":1,"fields":["a"],"rows":[{"a":{"b":2}}]}',
    '<bdi>{&quot;b&quot;:2}</bdi>',
  ],
  [
    'JSON without a table',
    'deep',
    'application/json',
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'cannot be read as what it says',
  ],
  ['one line of a megabyte', 'long', csv, `a,${'b'.repeat(2 ** 20)}\n1,2\n`, '…'],
  [
    '10,000 columns',
    'wide',
    csv,
    `${'a,'.repeat(10_000)}b\n${'1,'.repeat(10_000)}2\n`,
    '<bdi>1</bdi>',
  ],
  [
    'cells that would do harm',
    'hostile',
    csv,
    `${hostileStrings.map(quoted).join(',')}\n${hostileStrings.map(quoted).join(',')}\n`,
    '&lt;script&gt;alert(1)',
  ],
  ['nothing', 'empty', csv, '', 'The file is empty'],
]

/** CSV that goes on as long as somebody reads. */
function streamEndless(answer: ServerResponse): void {
  const piece = 'station,level\n'.repeat(5000)
  const more = (): void => {
    while (!answer.destroyed) {
      endless.written += piece.length
      if (!answer.write(piece)) {
        answer.once('drain', more)
        return
      }
    }
  }
  answer.once('close', () => (endless = { ...endless, isClosed: true }))
  more()
}

const statuses: Readonly<Record<string, number>> = {
  'not-found': 404,
  forbidden: 403,
  failing: 500,
}

/** Serves the files on two addresses of this machine; previews may reach one of them. */
function openSource(): Promise<Server> {
  const server = createServer((request, answer) => {
    const name = (request.url ?? '').slice(1)
    asked.push(`${request.headers.host?.split(':')[0]} ${name}`)
    const found = files.find(([, one]) => one === name)
    const status = statuses[name]
    if (found) answer.setHeader('Content-Type', found[2]).end(found[3])
    else if (name === 'returning' && !hasFailed) {
      hasFailed = true
      request.socket.destroy()
    } else if (name === 'returning') answer.setHeader('Content-Type', csv).end('a,b\n1,2\n')
    else if (name === 'endless') streamEndless(answer.setHeader('Content-Type', csv))
    else if (name === 'huge') answer.setHeader('Content-Length', 30 * 2 ** 20).flushHeaders()
    else if (name === 'elsewhere')
      answer.writeHead(302, { Location: `http://127.0.0.2:${port()}/table` }).end()
    else answer.writeHead(status ?? 200).end()
  })
  return new Promise((resolve) => server.listen(0, '0.0.0.0', () => resolve(server)))
}
const port = () => (source.address() as AddressInfo).port

const further = ['returning', 'endless', 'huge', 'elsewhere', ...Object.keys(statuses)]
const address = (name: string) => `http://127.0.0.1:${port()}/${name}`

/** A dataset whose distribution has that address; answers the id of the distribution. */
async function publish(id: string, download: string): Promise<string> {
  const { putDataset, json, search } = client(platform)
  const answer = await putDataset(
    'files',
    id,
    `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
<https://files.example/${id}> a dcat:Dataset ; dct:title "${id}"@en ; dcat:distribution [ a dcat:Distribution ;
  dcat:accessURL <https://files.example/${id}/page> ; ${download} ] .`,
  )
  expect(answer.status).toBe(201)
  const { result } = await json<{ result: { distributions: { id: string }[] } }>(
    `${search}/datasets/${id}`,
  )
  return result.distributions[0]?.id ?? ''
}

const previewAddress = (id: string, distribution: string) =>
  `${platform.url}/en/datasets/${id}/distributions/${encodeURIComponent(distribution)}/preview`

const preview = async (id: string, distribution: string) => {
  const answer = await fetch(previewAddress(id, distribution), { headers: { Accept: 'text/html' } })
  return { status: answer.status, text: await answer.text() }
}

const distributions = new Map<string, string>()
const previewOf = (name: string) => preview(name, distributions.get(name) ?? '')

beforeAll(async () => {
  source = await openSource()
  directory = await temporaryDirectory()
  platform = await gateway(directory, {
    PLATFORM_HARVEST_CONFIG: '{"allow":["127.0.0.0/8"]}',
    PLATFORM_PORTAL_CONFIG: JSON.stringify({ preview: { allow: [`127.0.0.1:${port()}`] } }),
  })
  await client(platform).put('/catalogues/files', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  for (const name of [...files.map(([, one]) => one), ...further])
    distributions.set(name, await publish(name, `dcat:downloadURL <${address(name)}>`))
}, 60_000)
afterAll(async () => {
  await platform.stop()
  source.closeAllConnections()
  source.close()
  await remove(directory)
})

describe('a preview is offered', () => {
  const format = (name: string) =>
    `dct:format <http://publications.europa.eu/resource/authority/file-type/${name}>`
  it.each([
    ['of a file with a format', `dcat:downloadURL <https://f.example/1> ; ${format('CSV')}`, true],
    ['of a file with an ending', 'dcat:downloadURL <https://f.example/a.geojson.gz>', true],
    [
      'of a file of which nobody says what it is',
      'dcat:downloadURL <https://f.example/get.php?v=1.2>',
      true,
    ],
    ['of no PDF', `dcat:downloadURL <https://f.example/2> ; ${format('PDF')}`, false],
    ['of no file with another ending', 'dcat:downloadURL <https://f.example/a.pdf>', false],
    ['of no address to read more', 'dct:title "Page"@en', false],
  ])('%s', async (name, download, isOffered) => {
    const id = `offer-${name.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}`
    await publish(id, download)
    const page = await (await fetch(`${platform.url}/en/datasets/${id}`)).text()
    expect(page.includes('data-preview=')).toBe(isOffered)
  })
})

describe('a preview', () => {
  it.each(files)('of %s is a table or a sentence', async (...[, name, , , shown]) => {
    const { status, text } = await previewOf(name)
    expect(status).toBe(200)
    expect(text).toContain(shown)
    expect(harmIn(text)).toEqual([])
    expect(text.length).toBeLessThan(200_000)
  })

  it('of CSV without end shows its first rows and hangs up', async () => {
    const { status, text } = await previewOf('endless')
    expect(status).toBe(200)
    expect(text.match(/<tr>/g)).toHaveLength(201)
    await expect.poll(() => endless.isClosed).toBe(true)
    expect(endless.written).toBeLessThan(25 * 2 ** 20)
  })

  it.each([
    ['huge', tooLarge],
    ['not-found', 'answered 404'],
    ['forbidden', 'needs a login'],
    ['failing', 'answered 500'],
    ['elsewhere', 'no download address that may be fetched'],
  ])('of what is %s says so', async (name, sentence) => {
    const { status, text } = await previewOf(name)
    expect(status).toBe(200)
    expect(text).toContain(sentence)
    expect(asked.some((one) => one.startsWith('127.0.0.2'))).toBe(false)
  })

  it.each([
    ['no', ''],
    ['an inner', 'dcat:downloadURL <http://127.0.0.2:81/table>'],
    ['a harvested', 'dcat:downloadURL <http://127.0.0.1:8081/table>'],
    ['a local', 'dcat:downloadURL <file:///etc/passwd>'],
    ['an inline', 'dcat:downloadURL <data:text/csv,a%2Cb>'],
    ['a scripted', 'dcat:downloadURL <javascript:alert(1)>'],
  ])('of %s address asks nobody', async (what, download) => {
    const id = `address-${what.replace(/.* /, '')}`
    const distribution = await publish(id, download === '' ? 'dct:title "none"' : download)
    const { status, text } = await preview(id, distribution)
    expect(status).toBe(200)
    expect(text).toContain('no download address that may be fetched')
    expect(asked.some((one) => one.startsWith('127.0.0.2'))).toBe(false)
  })

  it('is of the distributions of the record only, and not for browsers that fetch ahead', async () => {
    const before = asked.length
    expect((await preview('table', distributions.get('wide') ?? '')).status).toBe(404)
    expect((await preview('table', address('table'))).status).toBe(404)
    const own = distributions.get('table') ?? ''
    // `fetch` leaves this header to browsers.
    const ahead = await new Promise((resolve) => {
      const headers = { Accept: 'text/html', 'Sec-Purpose': 'prefetch' }
      httpGet(previewAddress('table', own), { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
    })
    expect(ahead).toBe(403)
    expect(asked).toHaveLength(before)
  })

  it('of a host that did not answer does not ask it again for every reader', async () => {
    for (let views = 0; views < 3; views += 1)
      expect((await previewOf('returning')).text).toContain('The host does not answer')
    expect(asked.filter((one) => one.endsWith('returning'))).toHaveLength(1)
  })

  it('is fetched once, however many look at it', async () => {
    await Promise.all(Array.from({ length: 10 }, () => previewOf('table')))
    expect(asked.filter((one) => one === '127.0.0.1 table')).toHaveLength(1)
  })
})
