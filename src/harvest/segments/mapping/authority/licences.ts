/** Licences: what sources call them, as a concept of the EU licence authority, a web address, or just a text. */
import { isHtml, textFromHtml } from '../values/html.ts'
import { isPlaceholder, plainText } from '../values/json.ts'
import type { Authorities } from './authorities.ts'
import { alike, squashed } from './spellings.ts'

/** `iri`: a licence · `label`: one of which only the name is known · `rights`: words that are no licence. */
export type Licence =
  | { readonly kind: 'iri'; readonly iri: string }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'rights'; readonly text: string }

/** What a source says of one licence, in any of three ways. */
export type LicenceNames = {
  readonly url?: unknown
  readonly id?: unknown
  readonly title?: unknown
}

const cc = 'https://creativecommons.org'
const code = (name: string) => `http://publications.europa.eu/resource/authority/licence/${name}`
const etalab = 'https://www.etalab.gouv.fr'
const ogl = 'https://www.nationalarchives.gov.uk/doc/open-government-licence/version'

type Entry = {
  /** The first that the authority has counts; else the address stands for the licence. */
  readonly codes: readonly string[]
  readonly address?: string
  /** Squashed ids and labels. */
  readonly words: string
}

const entries: readonly Entry[] = [
  {
    codes: ['CC0'],
    address: `${cc}/publicdomain/zero/1.0/`,
    words: 'cczero cc0 cc010 creativecommonszero creativecommonscczero creativecommonscc0',
  },
  { codes: ['CC_PDM_1_0'], words: 'publicdomain otherpublicdomain otherpd' },
  { codes: ['CC_BY'], words: 'ccby creativecommonsattribution' },
  { codes: ['CC_BYSA'], words: 'ccbysa creativecommonsattributionsharealike' },
  { codes: ['CC_BYNC'], words: 'ccnc ccbync creativecommonsnoncommercialany' },
  { codes: ['CC_BYND'], words: 'ccbynd' },
  { codes: ['CC_BYNCSA'], words: 'ccbyncsa' },
  { codes: ['CC_BYNCND'], words: 'ccbyncnd' },
  {
    codes: ['ODC_PDDL'],
    words: 'odcpddl pddl pddl10 opendatacommonspublicdomaindedicationandlicencepddl',
  },
  { codes: ['ODC_BY'], words: 'odcby odcby10 opendatacommonsattributionlicense' },
  {
    codes: ['ODC_BL'],
    words: 'odcodbl odbl odbl10 opendatabaselicense opendatacommonsopendatabaselicenseodbl',
  },
  {
    codes: ['DLDE_BY_2_0'],
    address: 'https://www.govdata.de/dl-de/by-2-0',
    words: 'dldeby20 httpdcatapdedeflicensesdlbyde20 dlbyde20',
  },
  {
    codes: ['DLDE_BY_1_0'],
    address: 'https://www.govdata.de/dl-de/by-1-0',
    words: 'dldeby10 dlbyde10',
  },
  {
    codes: ['DLDE_ZERO_2_0'],
    address: 'https://www.govdata.de/dl-de/zero-2-0',
    words: 'dldezero20 dlzerode20',
  },
  {
    codes: ['ETALAB_1_0'],
    address: `${etalab}/wp-content/uploads/2014/05/Licence_Ouverte.pdf`,
    words:
      'frlo lov1 licenceouverte licenceouverteetalab licenceouvertev1 licenceouverte10 licenceouverteopenlicence ' +
      'licenceouvertev10',
  },
  {
    codes: ['ETALAB_2_0'],
    address: `${etalab}/licence-ouverte-open-licence/`,
    words:
      'lov2 etalab20 licenceouvertev2 licenceouverte20 licenceouvertev20 licenceouverteopenlicenceversion20 ' +
      'licenceouverteversion20 licenceouvertev20etalab',
  },
  {
    codes: ['OGL_3_0'],
    address: `${ogl}/3/`,
    words:
      'ukogl oglukv3 ogluk30 ogl30 ogl3 opengovernmentlicencev30 opengovernmentlicence30 ukopengovernmentlicenceogl',
  },
  { codes: ['OGL_2_0'], address: `${ogl}/2/`, words: 'ogluk20 opengovernmentlicencev20' },
  { codes: ['EUPL_1_2'], words: 'eupl12' },
  { codes: ['EUPL_1_1'], words: 'eupl11' },
  { codes: ['GNU_FDL'], words: 'gfdl gnufreedocumentationlicense' },
  { codes: ['NLOD_2_0'], words: 'nlod20' },
  { codes: ['NLOD_1_0'], words: 'nlod10' },
]
const byWord = new Map(
  entries.flatMap((entry) => entry.words.split(' ').map((word) => [word, entry] as const)),
)
const byAddress = new Map(
  entries.flatMap((entry) =>
    entry.address === undefined ? [] : [[comparable(entry.address), entry] as const],
  ),
)

/** Words that say that there is no licence, or none worth the name. */
const placeholders = new Set(
  (
    'notspecified otheropen otherat otherclosed othernc other seetermsofuse none licensenotspecified ' +
    'licencenotspecified otherattribution othernotopen othernoncommercial unknown nolicense nolicence ' +
    'nolicenseprovided custom customlicense seedescription'
  ).split(' '),
)

/**
 * The first way that leads to a concept counts, then the first address, byte for byte as the source wrote it, then the
 * address of a licence that goes by that name, then the last name. Texts may be HTML, and may hold an address.
 * `undefined` when nothing was said, or only that there is no licence.
 */
export function licenceOf(names: LicenceNames, authorities: Authorities): Licence | undefined {
  const said = [names.url, names.id, names.title]
    .map(plainText)
    .filter((text) => text !== undefined)
    .filter((text) => !isPlaceholder(text))
  const candidates = said.flatMap((text) => {
    const plain = textFromHtml(text)
    return isAddress(text) ? [text] : [...addressesIn(plain), plain]
  })
  const iri =
    candidates.map((text) => conceptOf(text, authorities)).find(Boolean) ??
    candidates.find(isAddress) ??
    candidates.map((text) => namedLicence(text)?.address).find(Boolean)
  if (iri !== undefined) return { kind: 'iri', iri }
  const isNone = said.some((text) => placeholders.has(squashed(text)))
  const last = said.findLast((text) => !placeholders.has(squashed(text)))
  if (last === undefined) return undefined
  const text = textFromHtml(last)
  if (text === '') return undefined
  return isNone || isHtml(last) ? { kind: 'rights', text } : { kind: 'label', label: text }
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text)
}

/** Addresses inside a text, without the punctuation around them. */
const addressesIn = (text: string): readonly string[] =>
  (text.match(/https?:\/\/[^\s<>"']+/gi) ?? []).map((found) => {
    const bare = found.replace(/[.,;:!?]+$/, '')
    return bare.includes('(') ? bare : bare.replace(/\)[.,;:!?)]*$/, '')
  })

function conceptOf(text: string, authorities: Authorities): string | undefined {
  const licences = authorities.table('licence')
  if (isAddress(text)) {
    const key = comparable(text)
    const open = /^(?:opendefinition\.org|opensource\.org)\/licen[cs]es\/([^/?#]+)$/.exec(key)?.[1]
    return (
      licences.byIri(text) ??
      matching(key, authorities) ??
      codeOf(byAddress.get(key), authorities) ??
      (open === undefined ? undefined : conceptOf(open, authorities))
    )
  }
  const entry = namedLicence(text)
  if (entry)
    return (
      codeOf(entry, authorities) ??
      (entry.address === undefined ? undefined : matching(comparable(entry.address), authorities))
    )
  const own = licences.byCode(text.replaceAll(/[\s.-]+/g, '_')) ?? licences.byLabel(text)
  return own ?? conceptInParentheses(text, authorities)
}

/** `Open Database License (ODbL)`: what stands in parentheses by itself, then the text without it. */
function conceptInParentheses(text: string, authorities: Authorities): string | undefined {
  const parts = parenthesised(text)
  return parts.map((part) => conceptOf(part, authorities)).find(Boolean)
}

const parenthesised = (text: string): readonly string[] => {
  const [, before = '', inside = '', after = ''] =
    /^([^()]{0,300})\(([^()]{1,300})\)([^()]{0,300})$/.exec(text) ?? []
  return [inside, `${before} ${after}`].map((part) => part.trim()).filter((part) => part !== '')
}

const codeOf = (entry: Entry | undefined, authorities: Authorities) =>
  entry?.codes.map((name) => authorities.table('licence').byIri(code(name))).find(Boolean)

/** A licence that goes by that name, whether or not the authority has it. */
const namedLicence = (text: string): Entry | undefined =>
  byWord.get(squashed(text)) ??
  creativeCommons(text) ??
  parenthesised(text)
    .map((part) => byWord.get(squashed(part)) ?? creativeCommons(part))
    .find(Boolean)

const wheres = new WeakMap<Authorities, ReadonlyMap<string, string>>()

/** The concept that says that it is exactly the licence at that address, in its comparable form. */
function matching(address: string, authorities: Authorities): string | undefined {
  let known = wheres.get(authorities)
  if (!known) {
    const { matches } = authorities.table('licence')
    // Some tables give one address to several concepts: such an address tells none of them.
    const groups = Map.groupBy(matches, ([matched]) => comparable(matched))
    known = new Map(
      [...groups].flatMap(([key, all]) => (all.length === 1 && all[0] ? [[key, all[0][1]]] : [])),
    )
    wheres.set(authorities, known)
  }
  return known.get(address)
}

/** `cc-by-sa-4.0`, `CC BY SA 3.0`, `CC BY-NC-ND 2.5` … */
function creativeCommons(text: string): Entry | undefined {
  const [, parts = '', version = ''] =
    /^(?:creativecommons|cc)(by(?:nc)?(?:sa|nd)?)([1-4]\.[05])(?:international|unported|generic)?$/.exec(
      text.toLowerCase().replaceAll(/[\s_-]+/g, ''),
    ) ?? []
  if (version === '') return undefined
  const address = `${cc}/licenses/${parts.replaceAll(/(?<=.)(nc|sa|nd)/g, '-$1')}/${version}/`
  return { codes: [], address, words: '' }
}

/**
 * What two addresses of one licence have in common, only to compare: no scheme, the host in lower case without `www.`, no
 * `/legalcode`, `/deed`, language and slash at the end.
 */
function comparable(text: string): string {
  if (!isAddress(text) || !URL.canParse(text)) return alike(text)
  const url = new URL(text)
  const host = url.host.replace(/^www\./, '')
  const path = url.pathname
    .replace(/\/(?:legalcode|deed)(?:[._-][^/]*)?(?:\/.*)?$/i, '')
    .replace(/\/+$/, '')
  const isCc = host === 'creativecommons.org'
  const bare = isCc
    ? path.replace(/(\/(?:4\.0|zero\/1\.0|mark\/1\.0))\/[a-z]{2}(?:[_-][A-Za-z]+)?$/, '$1')
    : path
  return `${host}${bare}${isCc ? '' : url.search}`
}
