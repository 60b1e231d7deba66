/** Licences: what sources call them, as a concept of the EU licence authority, a web address, or just a text. */
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

/** Squashed ids and labels → canonical address or authority concept. */
const named = new Map<string, string>(
  Object.entries({
    [`${cc}/publicdomain/zero/1.0`]:
      'cczero cc0 cc010 creativecommonszero creativecommonscczero creativecommonscc0',
    [code('CC_BY')]: 'ccby creativecommonsattribution',
    [code('CC_BYSA')]: 'ccbysa creativecommonsattributionsharealike',
    [code('CC_BYNC')]: 'ccnc ccbync creativecommonsnoncommercialany',
    [code('CC_BYND')]: 'ccbynd',
    [code('CC_BYNCSA')]: 'ccbyncsa',
    [code('CC_BYNCND')]: 'ccbyncnd',
    [code('ODC_PDDL')]: 'odcpddl pddl pddl10 opendatacommonspublicdomaindedicationandlicencepddl',
    [code('ODC_BY')]: 'odcby odcby10 opendatacommonsattributionlicense',
    [code('ODC_BL')]: 'odcodbl odbl odbl10 opendatacommonsopendatabaselicenseodbl',
    'https://govdata.de/dl-de/by-2-0': 'dldeby20 httpdcatapdedeflicensesdlbyde20 dlbyde20',
    'https://govdata.de/dl-de/by-1-0': 'dldeby10 dlbyde10',
    'https://govdata.de/dl-de/zero-2-0': 'dldezero20 dlzerode20',
    'https://etalab.gouv.fr/wp-content/uploads/2014/05/Licence_Ouverte.pdf':
      'frlo lov1 licenceouvertev1 licenceouverte10 licenceouverteopenlicence',
    'https://etalab.gouv.fr/licence-ouverte-open-licence':
      'lov2 etalab20 licenceouvertev2 licenceouverte20 licenceouverteopenlicenceversion20 licenceouvertev20etalab',
    'https://nationalarchives.gov.uk/doc/open-government-licence/version/3':
      'ukogl oglukv3 ogluk30 ogl30 ogl3 opengovernmentlicencev30 opengovernmentlicence30 ukopengovernmentlicenceogl',
    'https://nationalarchives.gov.uk/doc/open-government-licence/version/2':
      'ogluk20 opengovernmentlicencev20',
    [code('EUPL_1_2')]: 'eupl12',
    [code('EUPL_1_1')]: 'eupl11',
    [code('GNU_FDL')]: 'gfdl gnufreedocumentationlicense',
    [code('NLOD_2_0')]: 'nlod20',
    [code('NLOD_1_0')]: 'nlod10',
  }).flatMap(([target, words]) => words.split(' ').map((word) => [word, target] as const)),
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
 * The first way that leads to a concept counts, then the first address, then the first name. `undefined` when nothing
 * was said, or only that there is no licence.
 */
export function licenceOf(names: LicenceNames, authorities: Authorities): Licence | undefined {
  const said = [names.url, names.id, names.title]
    .map(plainText)
    .filter((text) => text !== undefined && !isPlaceholder(text))
    .filter((text) => text !== undefined)
  const known = said.map((text) => conceptOf(text, authorities)).find(Boolean)
  if (known !== undefined) return { kind: 'iri', iri: known }
  const address = said.map(canonicalAddress).find(Boolean)
  if (address !== undefined) return { kind: 'iri', iri: address }
  const telling = said.filter((text) => !placeholders.has(squashed(text)) && !isAddress(text))
  const isNone = said.some((text) => placeholders.has(squashed(text)))
  const [text] = telling.toReversed()
  if (text === undefined) return undefined
  return isNone ? { kind: 'rights', text } : { kind: 'label', label: text }
}

const isAddress = (text: string) => /^https?:\/\//i.test(text)

function conceptOf(text: string, authorities: Authorities): string | undefined {
  const licences = authorities.table('licence')
  if (isAddress(text)) {
    const address = canonicalAddress(text)
    const open = /^https:\/\/(?:opendefinition\.org|opensource\.org)\/licen[cs]es\/([^/?#]+)$/.exec(
      address ?? '',
    )?.[1]
    return (
      licences.byIri(text) ??
      (address === undefined ? undefined : matching(address, authorities)) ??
      (open === undefined ? undefined : conceptOf(open, authorities))
    )
  }
  const target = named.get(squashed(text)) ?? creativeCommons(text)
  if (target !== undefined)
    return licences.byIri(target) ?? matching(target, authorities) ?? canonicalAddress(target)
  return licences.byCode(text.replaceAll(/[\s.-]+/g, '_')) ?? licences.byLabel(text)
}

const wheres = new WeakMap<Authorities, ReadonlyMap<string, string>>()

/** The concept that says that it is exactly the licence at that address. */
function matching(address: string, authorities: Authorities): string | undefined {
  let known = wheres.get(authorities)
  if (!known) {
    const { matches } = authorities.table('licence')
    // Some tables give one address to several concepts: such an address tells none of them.
    const groups = Map.groupBy(matches, ([matched]) => alike(canonicalAddress(matched) ?? matched))
    known = new Map(
      [...groups].flatMap(([key, all]) => (all.length === 1 && all[0] ? [[key, all[0][1]]] : [])),
    )
    wheres.set(authorities, known)
  }
  return known.get(alike(address))
}

/** `cc-by-sa-4.0`, `CC BY SA 3.0`, `CC BY-NC-ND 2.5` … → address. */
function creativeCommons(text: string): string | undefined {
  const [, parts = '', version = ''] =
    /^(?:creativecommons|cc)(by(?:nc)?(?:sa|nd)?)([1-4]\.[05])(?:international|unported|generic)?$/.exec(
      text.toLowerCase().replaceAll(/[\s_-]+/g, ''),
    ) ?? []
  if (version === '') return undefined
  return `${cc}/licenses/${parts.replaceAll(/(?<=.)(nc|sa|nd)/g, '-$1')}/${version}`
}

/**
 * One spelling of a licence's address: https, the host in lower case without `www.`, no `/legalcode`, `/deed`, language
 * and slash at the end. `undefined` for what is no address.
 */
function canonicalAddress(text: string): string | undefined {
  if (!isAddress(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const host = url.host.replace(/^www\./, '')
  const path = url.pathname
    .replace(/\/(?:legalcode|deed)(?:[._-][^/]*)?(?:\/.*)?$/i, '')
    .replace(/\/+$/, '')
  const isCc = host === 'creativecommons.org'
  const bare = isCc
    ? path.replace(/(\/(?:4\.0|zero\/1\.0|mark\/1\.0))\/[a-z]{2}(?:[_-][A-Za-z]+)?$/, '$1')
    : path
  return `https://${host}${bare}${isCc ? '' : url.search}`
}
