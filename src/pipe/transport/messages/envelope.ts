/** The pipe on its way between processes: which segment works next, what it carries, and where its output goes. */

import { isSecretName } from '../../../http/secrets/names.ts'
import type { Endpoint, Json, JsonObject, Payload, Pipe, Segment } from '../../document.ts'

/** Where the segment after a foreign one is, as the process that runs the pipe tells it. */
export type ReturnEndpoint = Endpoint & {
  readonly authentication?: {
    readonly authMethod: 'bearer'
    readonly credentials: { readonly username: string; readonly password: string }
  }
  /** It understands records that were refused on the way, and lists that are not complete. */
  readonly returns: true
}

type Load = { readonly payload?: Payload; readonly back?: ReturnEndpoint }

/** The pipe as the segment of that number gets it: all before it are done, nothing else carries a payload. */
export function outgoing(pipe: Pipe, number: number, { payload, back }: Load): Pipe {
  const next = following(pipe, number)?.header.segmentNumber
  const segments = pipe.body.segments.map((segment): Segment => {
    const { segmentNumber } = segment.header
    const { payload: _, ...body } = segment.body
    const header = { ...segment.header, processed: segmentNumber < number }
    if (segmentNumber === number) {
      return { ...segment, header, body: { ...body, ...(payload && { payload }) } }
    }
    // Whoever gives the pipe back has no use for what the others were entrusted with.
    const discreet = back ? { ...body, config: withoutSecrets(body.config) } : body
    const endpoint = segmentNumber === next && back ? { endpoint: back } : {}
    return { ...segment, header, body: { ...discreet, ...endpoint } }
  })
  return { ...pipe, body: { ...pipe.body, segments } }
}

/** The segment that a message is for: the first one that is not done. */
export const ownSegment = (pipe: Pipe): Segment | undefined =>
  pipe.body.segments.find(({ header }) => !header.processed)

/** The segment after the one of that number. */
export const following = (pipe: Pipe, number: number): Segment | undefined =>
  pipe.body.segments.find(({ header }) => header.segmentNumber > number)

/** Whether whoever is at the endpoint understands what only we say. */
export const understandsProblems = (endpoint: Endpoint | undefined): boolean =>
  endpoint !== undefined && 'returns' in endpoint && endpoint.returns === true

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function withoutSecrets(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([name, value]) => isObject(value) || !isSecretName(name))
      .map(([name, value]) => [name, isObject(value) ? withoutSecrets(value) : value]),
  )
}

/** The headers that an endpoint's `authentication` asks for. */
export function credentialsOf(endpoint: Endpoint | undefined): Readonly<Record<string, string>> {
  const told: unknown =
    endpoint && 'authentication' in endpoint ? endpoint.authentication : undefined
  const { authMethod, credentials } = fields(told)
  const { username = '', password } = fields(credentials)
  if (typeof password !== 'string' || typeof username !== 'string') return {}
  if (typeof authMethod === 'string' && /^basic$/i.test(authMethod)) {
    return {
      Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    }
  }
  return { Authorization: `Bearer ${password}` }
}

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
