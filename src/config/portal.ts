/** `PLATFORM_PORTAL_CONFIG`: name, languages, colours and parts of the pages that people read. */

import { z } from 'zod'
import { isAllowance } from '../client/address-guard.ts'
import { isPermission, permissionForms } from '../http/api-key.ts'
import { isTimeZone } from '../text/time-zone.ts'
import { matching, messageOf, object } from './settings.ts'

const language = z.enum(['en', 'de', 'fr', 'it'], messageOf('one of en, de, fr, it'))

/** Text, or text by language. */
const texts = z.union(
  [z.string().min(1), z.record(z.string(), z.string().min(1))],
  messageOf('text, or an object of language → text'),
)
/** At most ten searches. */
const someSearches = z.array(z.string().min(1).max(100)).max(10)
/** Searches, or searches by language. */
const searches = z.union(
  [someSearches, z.partialRecord(language, someSearches)],
  messageOf('an array of at most ten searches, or an object of language → such an array'),
)
const address = z.url({ protocol: /^https?$/, ...messageOf('an http(s) address') })
const link = z.union([object({ title: texts, href: address }), object({ page: z.string().min(1) })])

/** Address of an OpenID Connect provider: https, or http on this machine, because codes and secrets are sent to it. */
const issuer = /^(?:https:\/\/[^/]|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$))/

/** Background colours of `portal.css` in light and dark mode. */
const paper = { light: '#fbfaf6', dark: '#14181b' } as const

/** Contrast ratio of two colours `#rrggbb` (WCAG 2.2): 1 to 21. */
function contrastOf(first: string, second: string): number {
  const [dark = 0, light = 0] = [first, second].map(luminance).toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const part = Number.parseInt(hex.slice(from, from + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Schema of a colour of text with a contrast of at least 4.5:1 on a background, which WCAG requires. */
const inkOn = (background: string) =>
  matching(
    (ink) => /^#[0-9a-f]{6}$/i.test(ink) && contrastOf(ink, background) >= 4.5,
    `a colour such as #0d5c58, with a contrast of 4.5:1 on ${background}`,
  ).optional()

const allowance = 'a host name, an address or a range, with or without a port: data.example:8443'

/** Schema of `PLATFORM_PORTAL_CONFIG`; every member has a default or may be absent. */
export const portalConfig = object({
  name: texts.default('Cartulary'),
  /** A sentence below the heading of the home page. */
  lead: texts.optional(),
  /** Name of a file in the folder `assets` of `directory`. */
  logo: z.string().min(1).optional(),
  languages: z
    .array(language, messageOf('an array of en, de, fr, it'))
    .min(1)
    .default(['en', 'de', 'fr', 'it']),
  defaultLanguage: language.default('en'),
  timeZone: matching(isTimeZone, 'a time zone such as Europe/Berlin').default('UTC'),
  colours: object({
    accent: inkOn(paper.light),
    accentDark: inkOn(paper.dark),
    rubric: inkOn(paper.light),
  }).default({}),
  font: z
    .enum(['source-serif', 'system'], messageOf('source-serif or system'))
    .default('source-serif'),
  /** Folder of the operator with pages, texts, style sheet and pictures. */
  directory: z.string().min(1).optional(),
  /** Searches that the home page suggests. */
  examples: searches.default([]),
  facets: z
    .array(z.string(), messageOf('an array of facets'))
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
    .array(z.enum(['themes', 'recent', 'catalogues'], messageOf('themes, recent or catalogues')))
    .default(['themes', 'recent', 'catalogues']),
  footer: z.array(object({ title: texts, links: z.array(link) })).default([]),
  /** Address for reports of problems of a dataset, with `{id}`, `{title}` and `{iri}`; for requests of missing data too. */
  feedback: matching(
    (address) => /^(https?:\/\/|mailto:)\S+$/.test(address),
    'an http(s) or mailto address',
  ).optional(),
  /** `allow`: hosts inside the institution from which previews may fetch; harvests have a list of their own. */
  preview: z
    .union(
      [z.boolean(), object({ allow: z.array(matching(isAllowance, allowance)) })],
      messageOf(`true, false or {"allow":[…]}, whose entries are each ${allowance}`),
    )
    .default(true),
  /** Addresses whose origins may show pages in frames, at `/embed/{language}/…`. */
  embed: z.array(address).default([]),
  signIn: object({
    key: z.boolean(messageOf('true or false')).default(true),
    /** OpenID Connect: `secret` names one of `PLATFORM_SECRETS`, `permissions` is group → permissions. */
    oidc: object({
      issuer: matching(
        (text) => issuer.test(text) && URL.canParse(text),
        'an https address, or http on this machine',
      ),
      client: z.string().min(1),
      secret: object({ secret: z.string().min(1) }),
      permissions: z.record(z.string(), z.array(matching(isPermission, permissionForms))),
    }).optional(),
  }).default({ key: true }),
})

export type PortalConfig = z.output<typeof portalConfig>

/** Settings of the portal by default. */
export const defaultPortal = portalConfig.parse({})
