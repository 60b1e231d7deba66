/** One attempt: the request and the redirects after it, each a new pass through guard and politeness. */

import type { IncomingMessage } from 'node:http'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { answerOf } from './answering/answer.ts'
import { exchange } from './exchange.ts'
import { permission } from './guard/permission.ts'
import type { Sockets } from './guard/sockets.ts'
import { portOf, target } from './guard/target.ts'
import { separated } from './headers.ts'
import type { OutboundLimits } from './limits.ts'
import { patience, type Patience, type Pause } from './patience.ts'
import type { Hosts, Place } from './politeness/hosts.ts'
import { retryAfter } from './politeness/retry.ts'
import { redirected, type Step } from './redirect.ts'
import type { OutboundAnswer, OutboundRequest } from './request.ts'

/** What all requests of a process share. */
export type Ground = {
  readonly userAgent: string
  readonly limits: OutboundLimits
  readonly sockets: Sockets
  readonly hosts: Hosts
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
}

const mostRedirects = 5

/** The answer at the end of the redirects, whatever its status. */
export async function attempt(
  request: OutboundRequest,
  ground: Ground,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const deadlines = { ...ground.limits.deadlines, ...request.deadlines }
  const time = patience(deadlines, ground)
  const steps: Step[] = []
  let step = firstStep(request)
  for (;;) {
    const visit: Visit = { request, step, time, ground }
    const { message, place } = await ask(visit, signal)
    const next = follow(visit, message, place)
    if (!next) {
      const way = { url: step.url.href, method: step.method, redirected: steps.map(hrefOf) }
      return answerOf({ message, ...way, ...ends(visit, place) }, signal)
    }
    steps.push(step)
    checkCircle(steps, next, request.redirects ?? mostRedirects)
    await request.mayFollow?.(next.url.href, signal)
    step = next
  }
}

const hrefOf = ({ url }: Step): string => url.href

type Visit = {
  readonly request: OutboundRequest
  readonly step: Step
  readonly time: Patience
  readonly ground: Ground
}

const ends = ({ request, time, ground }: Visit, place: Place) => ({
  bounds: { maxBytes: request.maxBytes, ratio: ground.limits.bodyRatio, patience: time },
  done: () => place.leave(),
})

const firstStep = ({ url, method = 'GET', headers, credentials, body }: OutboundRequest): Step => ({
  url: target(url),
  method,
  ...separated(headers, credentials),
  ...(body !== undefined && { body }),
})

type Asked = { readonly message: IncomingMessage; readonly place: Place }

async function ask({ request, step, time, ground }: Visit, signal: AbortSignal): Promise<Asked> {
  const { url } = step
  const longestMs = request.retryAfterMaxMs ?? ground.limits.retryAfterMaxMs
  const wish = {
    delayMs: request.delayMs ?? 0,
    atOnce: request.atOnce ?? Infinity,
    whenLeftAlone: request.whenLeftAlone ?? 'wait',
    longestMs,
    room: request.room,
  }
  const place = await ground.hosts.enter(`${url.hostname}:${portOf(url)}`, wish, signal)
  let connected = false
  try {
    const message = await exchange(
      {
        ...step,
        headers: headersOf(step, ground.userAgent),
        permission: permission(request.reach, url),
        patience: time,
        signal,
        connected: () => {
          connected = true
          place.connected()
          request.connected?.()
        },
      },
      ground.sockets,
    )
    const after = retryAfter(message.headers['retry-after'] ?? null, ground.now())
    place.answered(message.statusCode ?? 0, after, longestMs)
    return { message, place }
  } catch (error) {
    const kind = error instanceof Failure ? error.kind : undefined
    const down = kind === 'source-unreachable' || kind === 'source-timeout'
    if (down && !connected) place.failed()
    else if (kind === 'source-timeout') place.silent()
    if (kind === 'address-refused') ground.log.warn({ host: url.host }, 'outbound.refused')
    place.leave()
    throw error
  }
}

const headersOf = (step: Step, userAgent: string): Readonly<Record<string, string>> => ({
  accept: '*/*',
  ...step.headers,
  ...step.credentials,
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': userAgent,
})

/** The next step, if any; then this answer and its place are given up. */
function follow({ step }: Visit, message: IncomingMessage, place: Place): Step | undefined {
  const giveUp = () => {
    message.destroy()
    place.leave()
  }
  try {
    const next = redirected(step, message.statusCode ?? 0, message.headers.location)
    if (next) giveUp()
    return next
  } catch (error) {
    giveUp()
    throw error
  }
}

function checkCircle(steps: readonly Step[], next: Step, most: number): void {
  // A POST may be answered by a redirect to the same place, which is then asked with GET.
  if (steps.some(({ url, method }) => url.href === next.url.href && method === next.method)) {
    throw new Failure('source-error', 'the source redirects in a circle')
  }
  if (steps.length > most) {
    throw new Failure('source-error', `the source redirects more than ${most} times`)
  }
}
