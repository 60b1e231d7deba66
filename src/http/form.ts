/** Reader of HTML forms in request bodies. */

import { Failure } from '../errors.ts'
import { readBody } from './body.ts'
import type { AppContext } from './context.ts'

/** Returns the value of a field by name; empty for a missing field and for a file. */
export type FormFields = (name: string) => string

/** Value of a field of a form, as `FormFields` returns it. */
export function textField(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** Default of the most bytes of a form. */
const mostBytes = 2 * 2 ** 20

/**
 * Reads a form; later calls for the same request return the same fields. Rejects as `readBody`, also for a body that is no
 * form.
 */
export async function readForm(c: AppContext, bytes = mostBytes): Promise<FormFields> {
  const fields = await readFormData(c, bytes)
  return (name) => textField(fields, name)
}

/** Reads a form with all its fields, in their order. Rejects as `readForm`. */
export async function readFormData(c: AppContext, bytes = mostBytes): Promise<FormData> {
  const cached = c.get('form')
  if (cached) return cached
  const body = await readBody(c.req.raw, { bytes, name: '' }, c.get('signal'))
  const headers = { 'Content-Type': c.req.header('Content-Type') ?? '' }
  const fields = await new Response(body, { headers }).formData().catch((cause: unknown) => {
    const detail =
      'send the fields of a form: application/x-www-form-urlencoded or multipart/form-data'
    throw new Failure('unsupported-media-type', detail, { cause })
  })
  c.set('form', fields)
  return fields
}
