/** The schemas of a served OpenAPI document as checks of answers. The validator is not ours: zod reads JSON Schema. */

import { z } from 'zod'

export type Fault = {
  /** Place in the answer, without positions in arrays: `distributions.format.id`. */
  readonly path: string
  /** The schema requires it and it is not there. */
  readonly missing: boolean
  readonly message: string
}

type Document = {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly responses: {
            readonly '200': {
              readonly content: { readonly 'application/json': { readonly schema: object } }
            }
          }
        }
      }
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

type Issue = z.core.$ZodIssue

export type Served = {
  /** Faults of an answer of a path, by the schema of its 200. */
  readonly answer: (path: string, body: unknown) => readonly Fault[]
  /** Faults of a value by a component. */
  readonly component: (name: string, value: unknown) => readonly Fault[]
  readonly names: readonly string[]
}

export function servedSchemas(fetched: unknown): Served {
  const document = fetched as Document
  const local = closed(document.components.schemas) as Record<string, object>
  const compiled = new Map<string, z.ZodType>()
  const check = (schema: object, value: unknown): readonly Fault[] => {
    const text = JSON.stringify(schema)
    const whole = { $defs: local, ...(closed(schema) as object) }
    const known =
      compiled.get(text) ?? z.fromJSONSchema(whole as Parameters<typeof z.fromJSONSchema>[0])
    compiled.set(text, known)
    const result = known.safeParse(value)
    return result.success ? [] : result.error.issues.flatMap((issue) => faultsOf(issue, value))
  }
  return {
    answer: (path, body) => {
      const schema = document.paths[path]?.get.responses['200'].content['application/json'].schema
      if (!schema) throw new Error(`the document has no answer of ${path}`)
      return check(schema, body)
    },
    component: (name, value) => check({ $ref: `#/$defs/${name}` }, value),
    names: Object.keys(local),
  }
}

/**
 * With references as zod reads them, and objects that have no more members than the schema names: a field that the
 * document does not tell of shall be found, too.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === '$ref') return [key, String(value).replace('#/components/schemas/', '#/$defs/')]
    return [key, key === 'const' || key === 'enum' ? value : closed(value)]
  })
  const whole = Object.fromEntries(entries)
  const isOpen = 'additionalProperties' in whole || !('properties' in whole)
  return isOpen || whole['type'] !== 'object' ? whole : { ...whole, additionalProperties: false }
}

/** Of a union the alternative that fits best. */
function faultsOf(issue: Issue, root: unknown, before: readonly PropertyKey[] = []): Fault[] {
  const path = [...before, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const tried = issue.errors.map((issues) => issues.flatMap((one) => faultsOf(one, root, path)))
    const missingOnly = tried.find((faults) => faults.every(({ missing }) => missing))
    return missingOnly ?? tried.toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  return [
    {
      path: path.filter((step) => typeof step !== 'number').join('.'),
      missing: valueAt(root, path) === undefined,
      message: issue.message,
    },
  ]
}

const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined,
    root,
  )
