/** A process with a launcher, transports and a door, all real, and segments that do what the test says. */

import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { apiKeys } from '../../../src/http/api-key.ts'
import type { ClusterConfig } from '../../../src/config/cluster.ts'
import { segmentResolver } from '../../../src/pipe/segment-resolver.ts'
import type { Pipe } from '../../../src/pipe/document.ts'
import type { Message, RecordMessage } from '../../../src/pipe/message.ts'
import { openLauncher } from '../../../src/pipe/running/launcher.ts'
import type { SegmentFunction, SegmentKind } from '../../../src/pipe/segment.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { Transport, type TransportOptions } from '../../../src/pipe/transport/transport.ts'
import { outboundFixture } from '../../support/portals/outbound.ts'
import { portal } from '../../support/portals/portal.ts'
import { runsFixture, silent } from '../runs/runs-fixture.ts'

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await sleep(Math.min(ms, 5), undefined, { signal })
}

export const record = (n: number, more: Partial<RecordMessage> = {}): RecordMessage => ({
  kind: 'record',
  counter: n,
  sourceId: `s${n}`,
  originalId: `o${n}`,
  aliases: [],
  mediaType: 'application/n-triples',
  text: `<urn:x> <urn:title> "Brunnen ${n}" .`,
  sourceHash: `hash-${n}`,
  findings: [],
  ...more,
})

export const complete = {
  kind: 'end',
  completeness: { kind: 'complete', fingerprint: 'f' },
} as const satisfies Message

export type TransportFixtureOptions = Partial<
  Pick<
    TransportOptions,
    'limits' | 'identify' | 'allow' | 'eventbusUrl' | 'afterImport' | 'returnQueue'
  >
> & {
  readonly serviceDiscovery?: ClusterConfig['serviceDiscovery']
  readonly pipes?: readonly Pipe[]
  /** Names of segments that it lacks. */
  readonly without?: readonly string[]
  readonly trust?: 'trusted' | 'foreign'
  /** The exporter waits for this before each message. */
  readonly gate?: () => Promise<unknown>
}

export async function transportFixture(options: TransportFixtureOptions = {}) {
  const shelf: Message[] = []
  const kinds = kindsOf(shelf, options.gate).filter(
    ({ names }) => !options.without?.includes(names[0] ?? ''),
  )
  const place = runsFixture()
  const runs = place.open()
  const { serviceDiscovery = {}, limits, pipes = [], trust = 'trusted' } = options
  const resolve = segmentResolver(
    serviceDiscovery,
    kinds,
    options.eventbusUrl === undefined ? 'own' : 'broker',
  )
  let transport: Transport | undefined
  const door = await portal((request) => transport?.app.fetch(request) ?? new Response())
  const { client } = outboundFixture({ limits: { hostDelayMs: 0 } })
  transport = new Transport({
    kinds,
    resolve,
    serviceDiscovery,
    outbound: client,
    allow: [],
    keys: apiKeys({ operator: ['*'], city: ['city'], caller: ['POST /transforming-test/pipe'] }),
    bodyBytes: 100_000,
    http: { log: silent, base: '/api/segments' },
    returnAddress: `${door.url}/api/segments`,
    scratch: mkdtempSync(join(tmpdir(), 'returned-')),
    version: '0.0.0',
    returnQueue: `returns-${randomUUID()}`,
    now: () => Math.round(performance.now()),
    random: () => 0.5,
    pause,
    makeId: randomUUID,
    log: silent,
    ...options,
    limits: { waitMs: 10_000, listMs: 500, returnedMs: 50, answerMs: 120_000, ...limits },
  })
  await transport.listen()
  const launcher = await openLauncher({
    runs,
    sources: {
      find: (name) => {
        const pipe = pipes.find(({ header }) => header.name === name)
        return pipe && { pipe, source: 'pipes', file: '', trust, directory: '/', problems: [] }
      },
    },
    resolve,
    remote: (...given) => transport.remote(...given),
    ...(options.afterImport && { afterImport: options.afterImport }),
    atOnce: 4,
    deadlineMs: 3_600_000,
    stallMs: 600_000,
    graceMs: 50,
    now: () => place.at,
    pause,
    log: silent,
  })
  const stop = async () => {
    await launcher.stop()
    await transport.stop()
    await client.close()
    await door.close()
  }
  onTestFinished(stop)
  return {
    url: `${door.url}/api/segments`,
    requests: door.requests,
    transport,
    runs,
    shelf,
    texts: () => shelf.flatMap((one) => (one.kind === 'record' ? [one.text] : [])),
    launcher,
    /** Launches the pipe; the run when it has ended. */
    run: async (pipe: string, more: { dryRun?: boolean } = {}) => {
      const launched = launcher.launch({ pipe, startedBy: 'api', ...more })
      if (!('run' in launched)) throw new Error('dropped')
      return launcher.waitForEnd(launched.run.id, AbortSignal.timeout(50_000))
    },
    /** Sends a message to a segment. */
    post: (
      name: string,
      body: unknown,
      headers: Record<string, string> = {},
      method: 'POST' | 'PUT' = 'POST',
    ) =>
      fetch(`${door.url}/api/segments/${name}/pipe`, {
        method,
        headers: { 'Content-Type': 'application/json', 'X-API-Key': 'operator', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

function kindsOf(shelf: Message[], gate: TransportFixtureOptions['gate']): readonly SegmentKind[] {
  const kind = (
    name: string,
    job: SegmentKind['job'],
    run: (config: Record<string, unknown>) => SegmentFunction,
  ): SegmentKind => ({
    names: [name],
    job,
    schema: (): JsonObject => (job === 'export' ? {} : { type: 'object' }),
    open: (config) =>
      config['address'] === 7
        ? { ok: false, problems: [{ key: 'address', detail: 'must be a URL' }] }
        : { ok: true, run: run(config) },
  })
  return [
    kind(
      'importing-test',
      'import',
      ({ records = 3, broken, dated }) =>
        async function* (_, { sink }) {
          for (let n = 1; n <= Number(records); n += 1) {
            sink.offered()
            const finding = { slug: 'invalid-date', detail: `dct:issued: day ${n}` } as const
            yield record(n, dated === true ? { findings: [finding] } : {})
            if (n % 100 === 0) yield { kind: 'page', cursor: `after-${n}` }
          }
          if (broken === true) yield { kind: 'end', completeness: { kind: 'incomplete' } }
          else yield complete
        },
    ),
    kind(
      'transforming-test',
      'transform',
      ({ refuse }) =>
        async function* (input) {
          for await (const message of input) {
            if (message.kind !== 'record') yield message
            else if (message.sourceId === refuse) {
              const problem = new Failure('transform-failed', 'the script failed at line 3')
              yield { kind: 'refused', sourceId: message.sourceId, stage: 'transform', problem }
            } else yield { ...message, text: message.text.replaceAll('Brunnen', 'Quelle') }
          }
        },
    ),
    kind(
      'exporting-test',
      'export',
      () =>
        async function* (input, { sink, dryRun }) {
          for await (const message of input) {
            await gate?.()
            shelf.push(message)
            if (message.kind === 'record') {
              const { sourceId, findings } = message
              sink.item({ sourceId, stage: 'export', state: 'created', findings })
            }
            if (message.kind === 'end') sink.outcome(dryRun ? 'dry-run' : message.completeness.kind)
            else yield message
          }
        },
    ),
  ]
}
