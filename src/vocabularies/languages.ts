/** Languages by code or name (ISO 639, BCP 47), as concepts and three-letter codes of the EU language table. */
import { conceptIri, type Authorities } from './authorities.ts'
import { authority } from './concept.ts'
import { squashed } from './concept-table.ts'
import { saidText } from './loose-values.ts'

/** ISO 639-1 followed by ISO 639-3. */
const pairs =
  'aaaar afafr akaka amamh anarg arara asasm ayaym azaze babak bebel bgbul bibis bmbam bnben bobod brbre bsbos cacat ' +
  'ceche chcha cocos csces cvchv cycym dadan dedeu dvdiv dzdzo eeewe elell eneng eoepo esspa etest eueus fafas ffful ' +
  'fifin fjfij fofao frfra fyfry gagle gdgla glglg gngrn guguj gvglv hahau heheb hihin hohmo hrhrv hthat huhun hyhye ' +
  'iaina idind igibo isisl itita iuiku jajpn jvjav kakat kgkon kikik kkkaz klkal kmkhm knkan kokor kskas kukur kwcor ' +
  'kykir lalat lbltz lglug lilim lnlin lolao ltlit lvlav mgmlg mhmah mimri mkmkd mlmal mnmon mrmar msmsa mtmlt mymya ' +
  'nanau nbnob ndnde nenep nlnld nnnno nonor nrnbl nvnav nynya ococi omorm orori ososs papan plpol pspus ptpor quque rmroh ' +
  'rnrun roron rurus rwkin sasan scsrd sdsnd sesme sgsag sisin skslk slslv smsmo snsna sosom sqsqi srsrp ssssw stsot ' +
  'susun svswe swswa tatam tetel tgtgk ththa titir tktuk tltgl tntsn toton trtur tstso tttat tytah uguig ukukr ururd ' +
  'uzuzb veven vivie wawln wowol xhxho yiyid yoyor zazha zhzho zuzul'

/** ISO 639-2/B where it differs from ISO 639-3. */
const bibliographic =
  'albsqi armhye baqeus burmya chizho czeces dutnld frefra geokat gerdeu greell iceisl macmkd maomri maymsa perfas ' +
  'rumron sloslk tibbod welcym'

const byAlpha2 = new Map(pairs.split(' ').map((pair) => [pair.slice(0, 2), pair.slice(2)]))
const byOldCode = new Map(bibliographic.split(' ').map((pair) => [pair.slice(0, 3), pair.slice(3)]))
const alpha3 = new Set(byAlpha2.values())

/** Names in English and in the language itself; squashed. */
let names: ReadonlyMap<string, string> | undefined

function namesOfLanguages(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [alpha2, code] of byAlpha2)
    for (const language of [alpha2, 'en', 'de', 'fr']) {
      const name = displayed(alpha2, language)
      if (name !== undefined && !found.has(squashed(name))) found.set(squashed(name), code)
    }
  return found
}

function displayed(code: string, language: string): string | undefined {
  try {
    const display = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' })
    return display.of(code)
  } catch {
    return undefined
  }
}

/**
 * The code in upper case for ISO 639-1, 639-2 (both), 639-3, a language tag (its primary subtag) or a name; `undefined`
 * when there is no such language.
 */
function languageCode(text: string): string | undefined {
  const tag = /^([A-Za-z]{2,3})(?:[_-][A-Za-z0-9_-]{1,40})?$/.exec(text)?.[1]?.toLowerCase()
  const code =
    tag === undefined
      ? (names ??= namesOfLanguages()).get(squashed(text))
      : (byAlpha2.get(tag) ?? byOldCode.get(tag) ?? known(tag))
  return code?.toUpperCase()
}

const known = (code: string) =>
  code.length === 3 && (alpha3.has(code) || displayed(code, 'en') !== undefined) ? code : undefined

const reverse = new Map([...byAlpha2].map(([alpha2, code]) => [code, alpha2]))

/** The shortest tag of a language (RFC 5646, 2.2.1): `de` for `DEU`. */
const tagOfCode = (code: string): string => reverse.get(code.toLowerCase()) ?? code.toLowerCase()

/** The tag of untagged text when a source says that it has one language; a two-letter tag stays as it is. */
export function textTag(languages: readonly unknown[]): string | undefined {
  const text = languages.length === 1 ? saidText(languages[0]) : undefined
  if (text === undefined) return undefined
  if (/^[a-z]{2}(?:-[A-Za-z0-9]{2,8})?$/i.test(text)) return text
  const code = languageCode(text.replace(/^https?:.*[/#]/, ''))
  return code === undefined || code === 'UND' ? undefined : tagOfCode(code)
}

/** `swa` of `sw`; a code of three letters is its own. */
export const threeLetters = (code: string): string | undefined =>
  code.length === 3 ? code : byAlpha2.get(code)

/** Codes that say that the language is unknown, or that there is none or many. */
const noLanguage = /^(?:und|mis|mul|zxx)$/i

/** The concept of a language by code, tag, name, or IRI of any list of codes. */
export function languageOf(value: unknown, authorities: Authorities): string | undefined {
  const text = saidText(value)
  if (text === undefined) return undefined
  const name = /^https?:/i.test(text) ? text.replace(/^.*[/#]/, '') : text
  if (noLanguage.test(name)) return undefined
  const code = languageCode(name)
  return code === undefined
    ? conceptIri('language', text, authorities)
    : `${authority}language/${code}`
}
