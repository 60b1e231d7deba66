/** The served OpenAPI document as tests go through it: every operation with addresses that are filled in. */

export type Operation = {
  readonly path: string
  /** Upper case. */
  readonly method: string
  readonly secured: boolean
  readonly statuses: readonly number[]
  readonly parameters: readonly Parameter[]
  /** Media types of the body; empty without one. */
  readonly bodies: readonly string[]
  /** The body that the contract shows, as Turtle. */
  readonly example: string | undefined
  /** Media types of the 200. */
  readonly answers: readonly string[]
}

export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: {
    readonly type?: string
    readonly enum?: readonly unknown[]
    readonly example?: unknown
  }
}

type Described = {
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly example?: string }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >
}

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> }

/** All operations of a document, as it was fetched. */
export function operations(document: unknown): Operation[] {
  const { paths } = document as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      path,
      method: method.toUpperCase(),
      secured: (described.security ?? []).length > 0,
      statuses: Object.keys(described.responses).map(Number),
      parameters: described.parameters ?? [],
      bodies: Object.keys(described.requestBody?.content ?? {}),
      example: described.requestBody?.content?.['text/turtle']?.example,
      answers: Object.keys(described.responses['200']?.content ?? {}),
    })),
  )
}

/** The path of an operation with values for its parameters, and its required query. */
export function addressOf(operation: Operation, values: Readonly<Record<string, string>>): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? name),
  )
  const query = new URLSearchParams()
  for (const { name, in: place, required } of operation.parameters)
    if (place === 'query' && required) query.set(name, values[name] ?? name)
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
