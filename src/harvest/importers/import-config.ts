/** Config keys that all importers share, which of them affect the content or selection of records, and limits of imports. */

import { isJsonObject } from '../../text/json.ts'
import { z } from 'zod'
import { isId } from '../../rdf/ids.ts'
import { dayMs } from '../../text/duration.ts'

const address = z
  .string()
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be an http(s) address')
const positive = z.int().positive()

/** Unknown keys are kept: foreign pipes are full of them. */
export const importConfig = z.looseObject({
  /** Used as is, byte by byte. */
  address,
  catalogue: z.string().refine(isId, 'must be the id of a catalogue'),
  inputFormat: z.string().optional(),
  /** Ignored; every document is stored in a file first. */
  alternativeLoad: z.boolean().default(false),
  /** Field used as source id. */
  identifier: z.string().optional(),
  /** Parameters that are added to the query of the source. */
  filters: z.record(z.string(), z.string()).optional(),
  pageSize: positive.optional(),
  /** Minimum ms between two records. */
  pulse: z.int().min(0).default(0),
  /** Repair illegal IRIs before parsing. */
  preProcessing: z.boolean().default(true),
  /** Reads only what changed since the last run, if the source supports it; such a run removes nothing. */
  incremental: z.boolean().default(false),
  /** Skips entries marked as restricted or non-public; stored ones are not removed. */
  onlyPublic: z.boolean().optional(),
  /** Language tag of text without a language. */
  language: z
    .string()
    .regex(/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag (BCP 47)')
    .optional(),
  /** Name of a secret, and the header that carries it; `apikey` and `auth_key` are literal values instead. */
  auth: z.object({ secret: z.string(), header: z.string().default('Authorization') }).optional(),
  apikey: z.string().optional(),
  auth_key: z.string().optional(),
  /** Maximum number of records. */
  limit: positive.optional(),
  /** `source`: records as the source sends them, for a script; by default mapped, unless a script follows. */
  output: z.enum(['dcat-ap', 'source']).optional(),
  /** Parallel requests per host; the process-wide limit is the upper bound. */
  hostConcurrency: positive.optional(),
  hostDelayMs: z.int().min(0).optional(),
  connectTimeoutMs: positive.optional(),
  firstByteTimeoutMs: positive.optional(),
  idleTimeoutMs: positive.optional(),
  pageTimeoutMs: positive.optional(),
  attempts: positive.optional(),
  /** Longest `Retry-After` to wait for. */
  retryAfterMaxMs: z.int().min(0).max(dayMs).optional(),
  /** Days after which unchanged records are read and written again. */
  forceDays: z.number().min(0).optional(),
  // Keys of importers of other platforms; accepted and ignored.
  sendListDelay: z.int().min(0).optional(),
  sendHash: z.boolean().optional(),
  outputFormat: z.string().optional(),
})
export type ImportConfig = z.infer<typeof importConfig>

/** Keys that affect neither the selection nor the content of records. Keys in none of the three sets affect both. */
const operationalKeys = new Set(
  (
    'catalogue alternativeLoad pageSize pulse incremental limit attempts auth apikey auth_key hostConcurrency hostDelayMs ' +
    'connectTimeoutMs firstByteTimeoutMs idleTimeoutMs pageTimeoutMs forceDays deadline retryAfterMaxMs ' +
    'sendListDelay sendHash outputFormat accept method'
  ).split(' '),
)
/** Keys that select records; they do not affect the content of a record. */
const selectionKeys = new Set(['address', 'filters', 'query', 'types', 'graph'])
/** Keys that affect the content of records, not their selection. */
const shapeKeys = new Set(['language', 'output', 'preProcessing', 'onlyPublic'])

const jsonWithout = (config: object, ...sets: readonly ReadonlySet<string>[]) =>
  canonicalJson(
    Object.fromEntries(Object.entries(config).filter(([key]) => !sets.some((set) => set.has(key)))),
  )

/** Canonical text of the keys that select records. If it changes, the removals of a run are held. */
export const selectionOf = (config: object): string =>
  jsonWithout(config, operationalKeys, shapeKeys)

/** Canonical text of the keys that affect the content of records; part of the source hash. */
export const shapeOf = (config: object): string =>
  jsonWithout(config, operationalKeys, selectionKeys)

/** JSON with sorted keys and without white space, so that equal values are equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

// Limits.

/** Limits of every import. Bytes are counted after decompression; an item is a record. */
export type ImportLimits = {
  readonly maxPageBytes: number
  readonly maxDocumentBytes: number
  readonly maxItemBytes: number
  readonly maxItems: number
  readonly maxPages: number
  /** Attempts per request, and the longest time that a source may ask to wait. */
  readonly attempts: number
  readonly retryAfterMaxMs: number
}

/** Defaults of `PLATFORM_HARVEST_CONFIG`. */
export const usualLimits: ImportLimits = {
  maxPageBytes: 100_000_000,
  maxDocumentBytes: 2_000_000_000,
  maxItemBytes: 10_000_000,
  maxItems: 2_000_000,
  maxPages: 100_000,
  attempts: 4,
  retryAfterMaxMs: 600_000,
}
