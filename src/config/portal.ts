/** `PLATFORM_PORTAL_CONFIG`: name, languages, colours and parts of the pages that people read. */

import { z } from 'zod'
import { must, object } from './settings.ts'

const language = z.enum(['en', 'de', 'fr', 'it'], must('one of en, de, fr, it'))

/** Text, or text by language. */
const texts = z.union(
  [z.string().min(1), z.record(z.string(), z.string().min(1))],
  must('text, or an object of language → text'),
)
const colour = z
  .string(must('a colour such as #0d5c58'))
  .regex(/^#[0-9a-f]{6}$/i, must('a colour such as #0d5c58'))
const link = object({
  title: texts,
  href: z.url({ protocol: /^https?$/, ...must('an http(s) address') }),
})

/** All members may be absent: the default is what the portal comes with. */
export const portalConfig = object({
  name: texts.default('Cartulary'),
  /** A sentence below the heading of the home page. */
  lead: texts.optional(),
  logo: z.string().min(1).optional(),
  languages: z
    .array(language, must('an array of en, de, fr, it'))
    .min(1)
    .default(['en', 'de', 'fr', 'it']),
  defaultLanguage: language.default('en'),
  timeZone: z.string().refine(isTimeZone, must('a time zone such as Europe/Berlin')).default('UTC'),
  colours: object({
    accent: colour.optional(),
    accentDark: colour.optional(),
    rubric: colour.optional(),
  }).default({}),
  font: z.enum(['source-serif', 'system'], must('source-serif or system')).default('source-serif'),
  directory: z.string().min(1).optional(),
  examples: z.array(z.string().min(1).max(100), must('an array of searches')).max(10).default([]),
  facets: z
    .array(z.string(), must('an array of facets'))
    .default([
      'format',
      'catalog',
      'publisher',
      'country',
      'categories',
      'license',
      'hvd',
      'quality',
    ]),
  home: z
    .array(z.enum(['themes', 'recent', 'catalogues'], must('themes, recent or catalogues')))
    .default(['themes', 'recent', 'catalogues']),
  footer: z.array(object({ title: texts, links: z.array(link) })).default([]),
  /** Where problems of a dataset are reported; `{id}`, `{title}` and `{iri}` are filled in. */
  feedback: z
    .string()
    .regex(/^(https?:\/\/|mailto:)\S+$/, must('an http(s) or mailto address'))
    .optional(),
  preview: z.boolean(must('true or false')).default(true),
  embed: z.array(z.url({ protocol: /^https?$/, ...must('http(s) origins') })).default([]),
  signIn: object({ key: z.boolean(must('true or false')).default(true) }).default({ key: true }),
})

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

export type PortalConfig = z.output<typeof portalConfig>

/** What counts when nothing is said. */
export const defaultPortal = portalConfig.parse({})
