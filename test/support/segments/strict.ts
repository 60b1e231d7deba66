/**
 * A segment of somebody else as its public connector (2.0.3) behaves on the wire, row by row: it knows the keys of the
 * model and refuses the whole pipe for any other, answers before it works, sends everything at once by plain http and
 * never again, and loses in silence what is not taken. The connector itself cannot be part of a build: neither it nor its
 * model (`io.piveau:pipe-connector:2.0.3`, `io.piveau:pipe-model:2.1.0`) is in the public Maven repository.
 */

import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

type Value = null | boolean | number | string | Value[] | { [key: string]: Value }
type Values = { [key: string]: Value }

type Payload = {
  header: { seqNumber: number; dataType: string }
  body: { data?: string; dataMimeType?: string; dataInfo?: Values }
}
export type WirePipe = {
  header: Values & { runId?: string }
  body: {
    segments: {
      header: { name: string; segmentNumber: number; processed?: boolean }
      body: { config?: Values; payload?: Payload; endpoint?: { address?: string; method?: string } }
    }[]
  }
}

/** What the work of a segment sees of a pipe. */
export type Work = {
  readonly pipe: WirePipe
  readonly config: Values
  readonly data: string
  readonly info: Values
  readonly isList: boolean
  /** Sends a result on; whoever calls nothing drops the record without a word. */
  readonly result: (data: string | Buffer, mimeType?: string, info?: Values) => Promise<void>
  /** Sends the input on as it is. */
  readonly pass: () => Promise<void>
}

export type StrictSegment = {
  /** Of its `/pipe`. */
  readonly address: string
  /** Pipes that it understood. */
  readonly taken: readonly WirePipe[]
  /** What it wrote into its own log: nobody else learns of it. */
  readonly errors: readonly string[]
  /** How its returns were answered. */
  readonly answers: readonly number[]
}

const keys = {
  pipe: ['header', 'body'],
  header: [
    'id',
    'name',
    'title',
    'version',
    'context',
    'transport',
    'runId',
    'startTime',
    'lastRun',
  ],
  body: ['segments', 'payloads'],
  segment: ['header', 'body'],
  segmentHeader: ['id', 'name', 'segmentNumber', 'title', 'processed', 'errorHandlerId'],
  segmentBody: ['endpoint', 'config', 'payload'],
  endpoint: ['protocol', 'address', 'method', 'authentication'],
  payload: ['header', 'body'],
  payloadHeader: ['seqNumber', 'dataType', 'total', 'signed', 'signature', 'signee', 'encrypted'],
  payloadBody: ['key', 'cypher', 'dataMimeType', 'data', 'dataInfo'],
} as const

function known(value: unknown, kind: keyof typeof keys): void {
  const names: readonly string[] = keys[kind]
  const strange = Object.keys(value ?? {}).find((key) => !names.includes(key))
  if (strange !== undefined) throw new Error(`Unrecognized field "${strange}" (${kind})`)
}

/** The mapping fails on any key that the model does not have; `config` and `dataInfo` are free. */
function mapped(text: string): WirePipe {
  const pipe = JSON.parse(text) as WirePipe
  known(pipe, 'pipe')
  known(pipe.header, 'header')
  known(pipe.body, 'body')
  for (const segment of pipe.body.segments) {
    known(segment, 'segment')
    known(segment.header, 'segmentHeader')
    known(segment.body, 'segmentBody')
    known(segment.body.endpoint, 'endpoint')
    known(segment.body.payload, 'payload')
    known(segment.body.payload?.header, 'payloadHeader')
    known(segment.body.payload?.body, 'payloadBody')
  }
  const { header } = pipe
  for (const name of ['startTime', 'lastRun'] as const) {
    // Dates are written as milliseconds.
    if (typeof header[name] === 'string') header[name] = new Date(header[name]).getTime()
  }
  return pipe
}

/** As its writer does it: what is empty is left out, inside of `config` and `dataInfo` nothing is. */
function nonEmpty(value: Value, isFree = false): Value | undefined {
  if (isFree && typeof value === 'object' && Object.keys(value ?? {}).length > 0) return value
  if (value === null || value === '') return undefined
  if (Array.isArray(value)) return value.map((one) => nonEmpty(one) ?? null)
  if (typeof value !== 'object') return value
  const left = Object.entries(value).flatMap(([key, inner]) => {
    const kept = nonEmpty(inner, key === 'config' || key === 'dataInfo')
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

const unprocessed = ({ body }: WirePipe) =>
  body.segments
    .filter(({ header }) => header.processed !== true)
    .toSorted((one, two) => one.header.segmentNumber - two.header.segmentNumber)

/** Starts one that ends with the test. */
export async function strictSegment(
  work: (work: Work) => Promise<void> | void,
): Promise<StrictSegment> {
  const server = await strictServer(work)
  onTestFinished(server.stop)
  return server
}

export type StrictServer = StrictSegment & { readonly stop: () => Promise<void> }

export async function strictServer(
  work: (work: Work) => Promise<void> | void,
): Promise<StrictServer> {
  const [taken, errors, answers]: [WirePipe[], string[], number[]] = [[], [], []]
  const handle = async (text: string): Promise<number | string> => {
    let pipe: WirePipe
    try {
      pipe = mapped(text)
    } catch (error) {
      errors.push(String(error))
      return 500
    }
    taken.push(structuredClone(pipe))
    const send = sender(pipe, errors, answers)
    setImmediate(() => {
      // A failure is a line in its log; the answer was given long ago.
      Promise.resolve(work(workOf(pipe, send))).catch((error: unknown) =>
        errors.push(String(error)),
      )
    })
    return pipe.header.runId ?? ''
  }
  const server = createServer((request, response) => {
    const answered = async () => {
      const text = await textOf(request)
      const isPipe = request.method === 'POST' && request.url === '/pipe'
      const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '')
      const answer = isPipe && isJson ? await handle(text) : 404
      if (typeof answer === 'string') response.writeHead(202).end(answer)
      else response.writeHead(answer, { 'Content-Type': 'text/html' }).end('<html></html>')
    }
    void answered()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { address: `http://127.0.0.1:${port}/pipe`, taken, errors, answers, stop }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

function workOf(pipe: WirePipe, send: Work['result']): Work {
  const payload = unprocessed(pipe)[0]?.body.payload
  const { data = '', dataInfo = {}, dataMimeType } = payload?.body ?? {}
  const isBytes = payload?.header.dataType === 'base64'
  return {
    pipe,
    config: unprocessed(pipe)[0]?.body.config ?? {},
    data: isBytes ? Buffer.from(data, 'base64').toString('utf8') : data,
    info: dataInfo,
    isList: dataInfo['content'] === 'identifierList',
    result: send,
    pass: () => send(isBytes ? Buffer.from(data, 'base64') : data, dataMimeType, dataInfo),
  }
}

const sender =
  (pipe: WirePipe, errors: string[], answers: number[]): Work['result'] =>
  async (data, dataMimeType, dataInfo) => {
    const sent = structuredClone(pipe)
    const [own, next] = unprocessed(sent)
    const { address, method = 'POST' } = next?.body.endpoint ?? {}
    if (!own || !next || address === undefined) return
    own.header.processed = true
    const isBytes = typeof data !== 'string'
    next.body.payload = {
      header: { seqNumber: 0, dataType: isBytes ? 'base64' : 'text' },
      body: {
        data: isBytes ? data.toString('base64') : data,
        ...(dataMimeType !== undefined && { dataMimeType }),
        ...(dataInfo && { dataInfo }),
      },
    }
    // Scheme and query are not looked at, and an absent port is no port at all.
    const [, host = '', port, path = '/'] =
      /^\w+:\/\/([^/:?]+)(?::(\d+))?([^?]*)/.exec(address) ?? []
    if (port === undefined) {
      errors.push('port p must be in range 0 <= p <= 65535')
      return
    }
    const status = await posted({ host, port, path, method }, JSON.stringify(nonEmpty(sent)))
    answers.push(status)
    if (status !== 200 && status !== 202) errors.push(String(status))
  }

type Target = {
  readonly host: string
  readonly port: string
  readonly path: string
  readonly method: string
}

/** Once, without a key, and 0 for a connection that broke. */
const posted = (target: Target, body: string): Promise<number> =>
  new Promise((resolve) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    }
    const request = httpRequest({ ...target, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', () => resolve(0))
    request.end(body)
  })

/** A dataset as N-Triples. */
export const triples = (id: string, title = `Tree ${id}`): string =>
  `<https://data.city.example/${id}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset> .\n` +
  `<https://data.city.example/${id}> <http://purl.org/dc/terms/title> ${JSON.stringify(title)} .\n`

export type Import = {
  readonly ids: readonly string[]
  /** What `dataInfo` says beside the identifier; by default counter, total and catalogue. */
  readonly info?: (id: string, counter: number) => Values
  /** Ids of the list that comes last; none without. */
  readonly list?: readonly string[] | 'all'
}

/** An importer: all records at once, then the list. */
export const importing =
  ({ ids, info, list }: Import): ((work: Work) => Promise<void>) =>
  async ({ result }) => {
    await Promise.all(
      ids.map((id, index) => {
        const usual = { total: ids.length, counter: index + 1, identifier: id, catalogue: 'city' }
        return result(triples(id), 'application/n-triples', info?.(id, index + 1) ?? usual)
      }),
    )
    if (!list) return
    const named = JSON.stringify(list === 'all' ? ids : list)
    await result(named, 'application/json', { content: 'identifierList', catalogue: 'city' })
  }

/** The identifier that a message names. */
export const idIn = ({ identifier }: Values): string =>
  typeof identifier === 'string' ? identifier : ''

/** A filter: passes what it wants and the list, and says nothing of the rest. */
export const filtering =
  (isWanted: (id: string) => boolean): ((work: Work) => Promise<void> | void) =>
  ({ isList, info, pass }) =>
    isList || isWanted(idIn(info)) ? pass() : undefined
