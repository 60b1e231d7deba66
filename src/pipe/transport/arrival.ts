/** What a message between processes carries, read. */

import { hash } from 'node:crypto'
import { Failure, type Kind, shown } from '../../errors.ts'
import { problems } from '../../http/problem.ts'
import type { Json, JsonObject, Payload } from '../document.ts'
import type { Stage } from '../message.ts'

export type ArrivedRecord = {
  readonly kind: 'record'
  /** Repeats of a message have the same one. */
  readonly key: string
  /** Original id in the source, or the platform's id in metrics pipes; absent where the message names none. */
  readonly id?: string
  readonly counter?: number
  readonly total?: number
  readonly aliases: readonly string[]
  readonly text: string
  readonly mediaType: string
  /** Keys of `dataInfo` that mean nothing to us. */
  readonly extra: JsonObject
}

export type ArrivedList = {
  readonly kind: 'list'
  readonly ids: ReadonlySet<string>
  /** How many of them were sent, where the sender says it: a platform does not send what is known to be unchanged. */
  readonly records?: number
  readonly complete: boolean
  readonly fingerprint?: string
}

export type Arrival =
  | ArrivedRecord
  /** The last message of an import, or of a page of it. */
  | ArrivedList
  | { readonly kind: 'deleted'; readonly key: string; readonly id: string }
  | {
      readonly kind: 'problem'
      readonly key: string
      readonly id?: string
      readonly counter?: number
      readonly stage: Stage
      readonly problem: Failure
    }
  /** No payload: the segment is to begin by itself. */
  | { readonly kind: 'start' }

/** Throws `Failure` `invalid-parameter` for a list that is none. */
export function arrivalOf(payload: Payload | undefined): Arrival {
  if (!payload) return { kind: 'start' }
  const { dataInfo: info = {}, dataMimeType } = payload.body
  const text =
    payload.header.dataType === 'base64'
      ? Buffer.from(payload.body.data, 'base64').toString('utf8')
      : payload.body.data
  if (info['content'] === 'identifierList') return listOf(text, info)
  const id = textOf(info['identifier'])
  const counter = numberOf(info['counter']) ?? numberOf(info['current'])
  const key = keyOf(info, id, text)
  const counted = { ...(counter !== undefined && { counter }) }
  if (info['content'] === 'problem') {
    return {
      kind: 'problem',
      key,
      ...(id !== undefined && { id }),
      ...counted,
      ...toldProblem(info),
    }
  }
  if (info['deleted'] === true && id !== undefined) return { kind: 'deleted', key, id }
  const total = numberOf(info['total'])
  const { identifier: _id, counter: _c, current: _n, total: _t, aliases, ...extra } = info
  return {
    kind: 'record',
    key,
    ...(id !== undefined && { id }),
    ...counted,
    ...(total !== undefined && total >= 0 && { total }),
    aliases: Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [],
    text,
    mediaType: dataMimeType ?? 'application/n-triples',
    extra,
  }
}

/** One record may come out as several: those differ in their ids, or in what they say. */
function keyOf(info: JsonObject, id: string | undefined, text: string): string {
  const { content = '', problem = '', deleted = '' } = info
  return hash('sha256', JSON.stringify([content, id ?? '', problem, deleted, text]), 'base64')
}

/** The record as one that nobody can be told by name. */
export const nameless = ({
  key,
  counter,
}: ArrivedRecord): Extract<Arrival, { kind: 'problem' }> => ({
  kind: 'problem',
  key,
  ...(counter !== undefined && { counter }),
  stage: 'transform',
  problem: new Failure('item-no-identifier', 'the message names no identifier'),
})

function listOf(text: string, info: JsonObject): Arrival {
  const fingerprint = textOf(info['fingerprint'])
  const records = numberOf(info['records'])
  return {
    kind: 'list',
    ids: idsOf(text),
    ...(records !== undefined && { records }),
    complete: info['complete'] !== false,
    ...(fingerprint !== undefined && { fingerprint }),
  }
}

function idsOf(text: string): ReadonlySet<string> {
  const wrong = () => new Failure('invalid-parameter', 'an identifier list is a JSON array of ids')
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) {
      return new Set(
        list.filter((id) => typeof id === 'string' || typeof id === 'number').map(String),
      )
    }
  } catch (error) {
    throw new Failure('invalid-parameter', wrong().detail, { cause: error })
  }
  throw wrong()
}

const stages: readonly Stage[] = ['import', 'transform', 'export']
const isKind = (slug: string): slug is Kind => Object.hasOwn(problems, slug)

function toldProblem(info: JsonObject): { readonly stage: Stage; readonly problem: Failure } {
  const told = info['problem']
  const { slug, detail, stage } = isObject(told) ? told : {}
  const kind = textOf(slug) ?? ''
  return {
    stage: stages.find((one) => one === stage) ?? 'transform',
    problem: new Failure(
      isKind(kind) && kind !== 'internal' ? kind : 'transform-failed',
      shown(textOf(detail) ?? 'the record was refused on its way'),
    ),
  }
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** An id may be a number where somebody has counted. */
const textOf = (value: Json | undefined): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' && text.length <= longestId
    ? text
    : undefined
}
const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined

const longestId = 2000
