/** Words with an inflected form that has the same stem, for tests. */

/** Ten pairs per language with a stemmer. */
export const inflected: Readonly<Record<string, string>> = {
  ar: 'مدرسة/المدرسة طريق/الطريق خريطة/الخريطة نهر/النهر طفل/الطفل مبنى/المبنى مستشفى/المستشفى محطة/المحطات مدينة/المدينة مكتبة/المكتبة',
  bg: 'път/пътища карта/карти сграда/сгради град/градове училище/училището вода/водата река/реката гора/гората болница/болницата община/общини',
  da: 'skole/skoler vej/veje vand/vandet barn/barnet kort/kortet flod/floder bygning/bygninger kommune/kommuner skov/skove bibliotek/biblioteker',
  de: 'Schule/Schulen Straße/Straßen Gewässer/Gewässern Kind/Kinder Karte/Karten Fluss/Flüsse Gebäude/Gebäuden Stadt/Städte Wald/Wälder Baum/Bäume',
  el: 'σχολείο/σχολεία δρόμος/δρόμοι νερό/νερά χάρτης/χάρτες ποτάμι/ποτάμια πόλη/πόλεις δάσος/δάση νοσοκομείο/νοσοκομεία δήμος/δήμοι σταθμός/σταθμοί',
  en: 'school/schools road/roads water/waters map/maps river/rivers building/buildings city/cities forest/forests library/libraries bridge/bridges',
  es: 'escuela/escuelas carretera/carreteras agua/aguas niño/niños mapa/mapas edificio/edificios bosque/bosques hospital/hospitales estación/estaciones municipio/municipios',
  fi: 'koulu/koulut kartta/kartat metsä/metsät kirjasto/kirjastot katu/katujen kunta/kunnat asema/asemat järvi/järvet puisto/puistot palvelu/palvelut',
  fr: 'école/écoles route/routes eau/eaux enfant/enfants carte/cartes rivière/rivières bâtiment/bâtiments ville/villes forêt/forêts hôpital/hôpitaux',
  ga: 'foirgneamh/foirgnimh bóthar/mbóthar foraois/bhforaois cathair/gcathair contae/gcontae baile/mbaile cósta/chósta páirc/bpáirc teach/dteach gairdín/ngairdín',
  hu: 'iskola/iskolák út/utak víz/vizek térkép/térképek folyó/folyók város/városok erdő/erdők könyvtár/könyvtárak utca/utcák kórház/kórházak',
  hy: 'ճանապարհ/ճանապարհներ երեխա/երեխաներ քարտեզ/քարտեզներ քաղաք/քաղաքներ անտառ/անտառներ փողոց/փողոցներ կամուրջ/կամուրջներ համայնք/համայնքներ կենտրոն/կենտրոններ տարածք/տարածքներ',
  id: 'jalan/jalanan air/perairan anak/anaknya peta/pemetaan sungai/sungainya bangunan/pembangunan kota/perkotaan hutan/kehutanan pasar/pemasaran rumah/rumahnya',
  it: 'scuola/scuole strada/strade bambino/bambini mappa/mappe fiume/fiumi comune/comuni bosco/boschi ospedale/ospedali stazione/stazioni albero/alberi',
  lt: 'mokykla/mokyklos kelias/keliai vanduo/vandens vaikas/vaikai žemėlapis/žemėlapiai upė/upės pastatas/pastatai miestas/miestai miškas/miškai biblioteka/bibliotekos',
  nl: 'school/scholen weg/wegen water/wateren kaart/kaarten rivier/rivieren gebouw/gebouwen bibliotheek/bibliotheken gemeente/gemeenten boom/bomen straat/straten',
  no: 'skole/skoler vann/vannet barn/barna kart/kartet elv/elver bygning/bygninger kommune/kommuner skog/skoger bibliotek/biblioteker gate/gater',
  pt: 'escola/escolas estrada/estradas água/águas criança/crianças mapa/mapas edifício/edifícios cidade/cidades floresta/florestas município/municípios árvore/árvores',
  ro: 'hartă/hărți oraș/orașe pădure/păduri spital/spitale școală/școala apă/apa comună/comune stație/stații bibliotecă/biblioteci județ/județe',
  ru: 'школа/школы дорога/дороги вода/воды карта/карты река/реки здание/здания город/города лес/леса библиотека/библиотеки улица/улицы',
  sr: 'школа/школе вода/воде карта/карте река/реке зграда/зграде шума/шуме библиотека/библиотеке улица/улице општина/општине škola/škole',
  sv: 'skola/skolor väg/vägar barn/barnen karta/kartor flod/floder kommun/kommuner skog/skogar bibliotek/biblioteken gata/gator stad/städer',
  tr: 'okul/okullar yol/yollar su/sular çocuk/çocuklar nehir/nehirler bina/binalar şehir/şehirler kütüphane/kütüphaneler köprü/köprüler park/parklar',
  uk: 'школа/школи дорога/дороги вода/води дитина/дитини карта/карти річка/річки будівля/будівлі місто/міста бібліотека/бібліотеки вулиця/вулиці',
}

/** Word and inflected form of each pair. */
export const pairsOf = (text: string) =>
  text.split(' ').map((pair) => {
    const [word = '', form = ''] = pair.split('/')
    return [word, form] as const
  })
