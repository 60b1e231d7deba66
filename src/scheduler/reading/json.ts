/** JSON that a client sent, bounded before anything looks at it. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import type { Json } from '../../pipe/document.ts'

const deepest = 64

/** The body as JSON; undefined when it is empty. Throws `malformed-json`, also for what is nested too deeply, and as `readBody`. */
export async function jsonBody(c: AppContext, bytes: number): Promise<Json | undefined> {
  const body = await readBody(c.req.raw, { bytes, name: 'pipeBytes' }, c.get('signal'))
  const text = new TextDecoder().decode(body)
  if (text.trim() === '') return undefined
  const value = parsed(text)
  if (isDeeper(value, deepest))
    throw new Failure('malformed-json', `the body is nested more than ${deepest} deep`)
  return value
}

function parsed(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch (cause) {
    throw new Failure('malformed-json', 'the body is not valid JSON', { cause })
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
