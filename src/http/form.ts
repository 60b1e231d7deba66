/** Fields of HTML forms that requests bring. */

import { Failure } from '../errors.ts'
import { readBody } from './body.ts'
import type { AppContext } from './context.ts'

/** A field by its name; one that is absent, or a file, is empty. */
export type FormFields = (name: string) => string

/** Most bytes of a form, unless its endpoint says otherwise. */
const mostBytes = 2 ** 20

/** Reads the fields of a form, once for a request. Rejects with `too-large` and `unsupported-media-type`. */
export async function readForm(c: AppContext, bytes = mostBytes): Promise<FormFields> {
  const known = c.get('form')
  if (known) return known
  const body = await readBody(c.req.raw, { bytes, name: '' }, c.get('signal'))
  const headers = { 'Content-Type': c.req.header('Content-Type') ?? '' }
  const fields = await new Response(body, { headers }).formData().catch((cause: unknown) => {
    const detail =
      'send the fields of a form: application/x-www-form-urlencoded or multipart/form-data'
    throw new Failure('unsupported-media-type', detail, { cause })
  })
  const form: FormFields = (name) => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
  c.set('form', form)
  return form
}
