/** The dictionary of facet values: what a code means, and its newest title. */

import { z } from 'zod'
import { expected } from '../engine-failures.ts'
import { attributes } from '../attributes.ts'
import { jsonText, type Wire } from '../engine-client.ts'

export type FacetValues = {
  /** Notes a value of what is about to be written. */
  note(code: string, facet: string, value: string, title: string): void
  /** Posts what is new; answers the tasks that must be done before the records are written. */
  post(signal?: AbortSignal): Promise<unknown[]>
  keep(): void
  forget(): void
}

const storedValues = z.object({ results: z.array(z.object({ id: z.string(), title: z.string() })) })

/** Codes per call. */
const portion = 1000
const remembered = 200_000

type Value = { readonly facet: string; readonly value: string; readonly title: string }

export function facetValuesOf(wire: Wire, uid: string): FacetValues {
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
