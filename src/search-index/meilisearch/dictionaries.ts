/**
 * The two dictionaries: every token with its buckets and stems, and what every code of a facet value means, are stored before a
 * record that holds them.
 */

import { z } from 'zod'
import { attributes, termKey } from './attributes.ts'
import { jsonText, type Wire } from './engine-client.ts'
import { expected } from './engine-failures.ts'
import type { Word } from './stored-document.ts'

export type Terms = {
  /** Notes a word of what is about to be written. */
  learn(word: Word): void
  /** Posts what is new among the noted words; answers the tasks that must be done before the records are written. */
  post(signal?: AbortSignal): Promise<unknown[]>
  /** The tasks are done: what was noted is known from now on. */
  keep(): void
  /** Something went wrong: nothing that was noted counts as known. */
  forget(): void
}

const storedTerms = z.object({
  results: z.array(
    z.object({ term: z.string(), buckets: z.array(z.string()), stems: z.array(z.string()) }),
  ),
})

/** Keys or codes per call. */
const portion = 1000

type Term = { readonly buckets: Set<string>; readonly stems: Set<string> }

export function termsOf(wire: Wire, uid: string): Terms {
  const documents = `/indexes/${uid}/documents`
  // Words are remembered by whoever makes them; a word that is forgotten there comes as another object.
  const known = new WeakSet<Word>()
  let noted = new Set<Word>()

  /** What is not stored yet of these terms. */
  const unstored = async (terms: Map<string, Term>, signal?: AbortSignal) => {
    const all = [...terms.keys()]
    const isNews = new Set(all)
    for (let at = 0; at < all.length; at += portion) {
      const ids = all.slice(at, at + portion).map(termKey)
      const fields = ['term', 'buckets', 'stems']
      const answer = await wire.post(`${documents}/fetch`, { ids, fields, limit: portion }, signal)
      for (const { term, buckets, stems } of expected(storedTerms, answer).results) {
        const wanted = terms.get(term)
        if (wanted && !grows(wanted, buckets, stems)) isNews.delete(term)
      }
    }
    return [...isNews]
  }

  return {
    learn: (word) => {
      if (!known.has(word)) noted.add(word)
    },
    post: async (signal) => {
      const terms = collected(noted)
      const lines = (await unstored(terms, signal)).map((term) => lineOf(term, terms.get(term)))
      return lines.length > 0 ? [await wire.lines(documents, lines, signal)] : []
    },
    keep: () => {
      for (const word of noted) known.add(word)
      noted = new Set()
    },
    forget: () => {
      noted = new Set()
    },
  }
}

function collected(words: ReadonlySet<Word>): Map<string, Term> {
  const terms = new Map<string, Term>()
  for (const { token, bucket, stems } of words) {
    const term = terms.get(token) ?? { buckets: new Set(), stems: new Set() }
    terms.set(token, term)
    term.buckets.add(bucket)
    for (const stem of stems) term.stems.add(stem)
  }
  return terms
}

/** Adds what is stored; true when there is more than that. */
function grows(term: Term, buckets: readonly string[], stems: readonly string[]): boolean {
  for (const bucket of buckets) term.buckets.add(bucket)
  for (const stem of stems) term.stems.add(stem)
  return term.buckets.size > buckets.length || term.stems.size > stems.length
}

const lineOf = (term: string, known: Term | undefined): string =>
  jsonText({
    [attributes.key]: termKey(term),
    term,
    buckets: [...(known?.buckets ?? [])],
    stems: [...(known?.stems ?? [])],
  })

/** What codes of facet values mean, and their newest titles. */
export type ValueDictionary = {
  /** Notes a value of what is about to be written. */
  note(code: string, facet: string, value: string, title: string): void
  /** Posts what is new; answers the tasks that must be done before the records are written. */
  post(signal?: AbortSignal): Promise<unknown[]>
  keep(): void
  forget(): void
}

const storedValues = z.object({ results: z.array(z.object({ id: z.string(), title: z.string() })) })

const remembered = 200_000

type Value = { readonly facet: string; readonly value: string; readonly title: string }

export function valueDictionary(wire: Wire, uid: string): ValueDictionary {
  const documents = `/indexes/${uid}/documents`
  const titles = new Map<string, string>()
  let noted = new Map<string, Value>()

  const dropStored = async (values: Map<string, Value>, signal?: AbortSignal) => {
    const unknown = [...values.keys()].filter((code) => !titles.has(code))
    for (let at = 0; at < unknown.length; at += portion) {
      const ids = unknown.slice(at, at + portion)
      const fields = [attributes.key, 'title']
      const answer = await wire.post(`${documents}/fetch`, { ids, fields, limit: portion }, signal)
      for (const { id, title } of expected(storedValues, answer).results)
        if (values.get(id)?.title === title) values.delete(id)
    }
  }

  return {
    note: (code, facet, value, title) => {
      if (titles.get(code) === title) noted.delete(code)
      else noted.set(code, { facet, value, title })
    },
    post: async (signal) => {
      const values = new Map(noted)
      await dropStored(values, signal)
      const lines = [...values].map(([id, value]) => jsonText({ id, ...value }))
      return lines.length > 0 ? [await wire.lines(documents, lines, signal)] : []
    },
    keep: () => {
      if (titles.size + noted.size > remembered) titles.clear()
      for (const [code, { title }] of noted) titles.set(code, title)
      noted = new Map()
    },
    forget: () => {
      noted = new Map()
    },
  }
}
