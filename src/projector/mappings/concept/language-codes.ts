/** Three-letter codes of the languages with a two-letter one that the bundled language table leaves out (ISO 639-1, 639-3). */

/** Two letters and three letters of one language, without a space. */
const pairs = `
afafr akaka amamh ayaym azaze bebel bibis bnben bobod brbre chcha cocos cycym dvdiv dzdzo
eeewe eoepo fafas ffful fjfij fofao fyfry gdgla gngrn gvglv hahau heheb hihin hohmo hthat
hyhye iaina idind igibo jajpn kakat kgkon kkkaz klkal kmkhm kokor kukur kwcor kykir lalat
lnlin lolao mgmlg mhmah mimri mnmon msmsa mymya nanau nenep nrnbl nynya ococi ososs papan
pspus quque rmroh rnrun rwkin sesme sgsag sisin smsmo sosom ssssw stsot swswa tatam tgtgk
ththa titir tktuk tntsn toton tstso ururd uzuzb veven vivie wawln wowol xhxho yiyid yoyor
zhzho zuzul
`

const codes: ReadonlyMap<string, string> = new Map(
  pairs
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 2), pair.slice(2)]),
)

/** `swa` of `sw`; a code of three letters is its own. */
export const threeLetters = (code: string): string | undefined =>
  code.length === 3 ? code : codes.get(code)
