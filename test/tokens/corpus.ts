/** Short texts in many scripts and shapes, the same on every run: what an encoder is compared on. */

const PHRASES: Readonly<Record<string, string>> = {
  am: 'ሰላም ዓለም መጽሐፍ ከተማ',
  ar: 'مرحبا بالعالم، الكِتَابُ في المدينة',
  as: 'নমস্কাৰ পৃথিৱী কিতাপ',
  az: 'salam dünya kitab şəhər',
  bg: 'здравей свят книга град',
  bn: 'ওহে বিশ্ব বই শহর',
  bo: 'བཀྲ་ཤིས་བདེ་ལེགས།',
  ca: "hola món, l'arbre il·lusió",
  chr: 'ᎣᏏᏲ ᎡᎶᎯ',
  cs: 'ahoj světe, příliš žluťoučký kůň',
  da: 'hej verden, blåbærgrød på øen',
  de: 'Hallo Welt, Straßenbahn über Köln',
  dv: 'ހަލޯ ދުނިޔެ',
  el: 'γειά σου Κόσμε, βιβλίο',
  en: "hello world, it's the reader's DON'T we'll",
  es: '¡hola mundo! ¿qué año, niño?',
  et: 'tere maailm, öö õues',
  fa: 'سلام دنیا، می‌خواهم کتاب',
  fi: 'hei maailma, hyvää yötä',
  fr: "bonjour le monde, l'été à l'œuvre",
  ga: 'dia duit a dhomhain',
  gu: 'નમસ્તે વિશ્વ પુસ્તક',
  he: 'שלום עולם, סֵפֶר בָּעִיר',
  hi: 'नमस्ते दुनिया किताब शहर',
  hu: 'helló világ, árvíztűrő tükörfúró',
  hy: 'բարեւ աշխարհ գիրք',
  id: 'halo dunia, buku di kota',
  is: 'halló heimur, þetta er bók',
  it: "ciao mondo, c'è un perché",
  ja: 'こんにちは世界、東京タワーの本だ。',
  ka: 'გამარჯობა მსოფლიო',
  kk: 'сәлем әлем кітап қала',
  km: 'សួស្តី​ពិភពលោក សៀវភៅ',
  kn: 'ನಮಸ್ಕಾರ ಪ್ರಪಂಚ',
  ko: '안녕하세요 세계, 책을 읽습니다',
  lo: 'ສະບາຍດີ ໂລກ',
  lt: 'labas pasauli, žąsys',
  ml: 'ഹലോ ലോകം പുസ്തകം',
  mn: 'сайн уу ертөнц',
  my: 'မင်္ဂလာပါ ကမ္ဘာ',
  ne: 'नमस्ते संसार',
  nl: "hallo wereld, zo'n ĳsbeer",
  pa: 'ਸਤ ਸ੍ਰੀ ਅਕਾਲ ਦੁਨਿਆ',
  pl: 'witaj świecie, zażółć gęślą jaźń',
  pt: 'olá mundo, não há pão',
  ro: 'salut lume, ştiinţă și țară',
  ru: 'привет мир, ёжик в тумане',
  si: 'හෙලෝ වර්ල්ඩ්',
  ta: 'வணக்கம் உலகம் நூல்',
  te: 'హలో ప్రపంచం పుస్తకం',
  th: 'สวัสดีชาวโลก หนังสือ',
  tr: 'merhaba dünya, İstanbul ığdır',
  uk: 'привіт світ, ґанок їжак',
  ur: 'ہیلو دنیا کتاب',
  vi: 'xin chào thế giới, quyển sách',
  yi: 'העלא וועלט',
  zh: '你好，世界。图书馆在城市里！繁體字：臺灣',
}

const CODE = [
  'def f(x: int) -> int:\n    return x ** 2  # square\n',
  'for (let i = 0; i < n; i++) {\n\tconsole.log(`$' + '{i}\\n`)\n}\n',
  '#include <stdio.h>\nint main(void){printf("%d\\n", 1);}\r\n',
  '<div class="a"><p>&nbsp;text</p></div>\n<!-- x -->',
  'SELECT "name", COUNT(*) FROM t WHERE id >= 10 GROUP BY 1;',
  '\\begin{equation} \\frac{a}{b} \\le \\sum_{i=1}^{n} x_i^2 \\end{equation}',
  'https://example.org/path?q=1&r=%20#frag user@example.com C:\\dir\\file.txt',
  'aGVsbG8gd29ybGQhIHRoaXMgaXMgYmFzZTY0Cg==',
  '    if x:\n        pass\n\n\n    else:\n\t\tpass   \n   ',
  '```python\nprint("hi")\n```\n\n- item\n  - item\n',
]

const CALLS = [
  '<tool_call>\n{"name": "search", "arguments": {"query": "Ada"}}\n</tool_call>',
  '<tool_response>\n{"result": [1, 2.5, null, "x\\ny"]}\n</tool_response>',
  '<think>\nWhich year?\n</think>\n\n<answer>1815</answer>',
  '<search>Ada</search>\n<information>Doc 1: "Ada"</information>',
  '{"name": "f", "parameters": {"a": "\\u00e9", "b": [true, false]}}',
]

const SPECIALS = [
  '<|im_start|>',
  '<|im_end|>',
  '<|endoftext|>',
  '<|begin_of_text|>',
  '<|eot_id|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|python_tag|>',
  '<|reserved_special_token_100|>',
  '<|im_end',
  '|im_start|>',
  '<|vision_pad|>',
]

const EMOJI = ['😀', '🎉', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪🇯🇵', '❤️', '#️⃣', '🧑🏿‍🚀', '☺', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🫠']
const MARKS = ['é', 'Å', 'ñ', 'ģ̈', 'ạ̈', '각', 'க்ஷ', 'ढ़', 'ﬁ', 'Ω', 'Å', 'שׁ', '̀a', 'ཱི', 'q̣̇', '⫝̸', '가', '豈']
const SPACES = [
  ' ',
  '  ',
  '   ',
  '\t',
  '\n',
  '\n\n',
  '\n\n\n',
  '\r\n',
  '\r',
  ' \n ',
  '\u00a0',
  '\u3000',
  '\u2003',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\u0085',
  '\v',
  '\f',
]
const NUMBERS = [
  '0',
  '7',
  '12',
  '2024',
  '1234567',
  '3.14159',
  '1,234.5',
  '-1e-07',
  '0x1F',
  '٣٤٥',
  '१२३',
  '１２３',
  '½',
  '²³',
  'Ⅷ',
  '㊿',
  '10:30',
  '99%',
]
const CONTROLS = [
  '\u0000',
  '\u0007',
  '\u001b[31m',
  '\u202e',
  '\u2066',
  '\u00ad',
  '\ufffd',
  '\u{e0001}',
  '\u{10ffff}',
  '\ue000',
]

/** Blocks to draw characters from at random. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x300, 0x36f],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x590, 0x6ff],
  [0x900, 0xdff],
  [0xe00, 0xfff],
  [0x1000, 0x139f],
  [0x1e00, 0x20ff],
  [0x2190, 0x2bff],
  [0x3040, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xff00, 0xffef],
  [0x10000, 0x103ff],
  [0x1d400, 0x1d7ff],
  [0x1f300, 0x1faff],
  [0x20000, 0x2a6df],
]

/** Mulberry32 (Tommy Ettinger, public domain). */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

export const LOCALES = Object.keys(PHRASES)

/** `size` different texts. */
export function corpus(size: number, seed = 1): string[] {
  const random = generator(seed)
  const from = (list: readonly string[]) => list[random(list.length)] as string
  const phrases = Object.values(PHRASES)
  const words = phrases.flatMap((phrase) => phrase.split(' '))
  const mixed = (...lists: readonly (readonly string[])[]) =>
    Array.from({ length: 2 + random(8) }, () => from(lists[random(lists.length)] as readonly string[])).join('')
  const anywhere = () => {
    const [low, high] = BLOCKS[random(BLOCKS.length)] as readonly [number, number]
    return String.fromCodePoint(low + random(high - low + 1))
  }
  const makers: readonly (() => string)[] = [
    () => from(phrases),
    () => `${from(phrases)}${from(SPACES)}${from(phrases)}`,
    () => Array.from({ length: 3 + random(8) }, () => from(words)).join(' '),
    () => from(words).toUpperCase() + from(words),
    () => from(CODE) + from(CODE),
    () => `${from(CODE).slice(random(8))}${from(SPACES)}${from(words)}`,
    () => `${from(CALLS)}${from(SPACES)}${from(CALLS)}`,
    () => `{"name": "${from(words)}", "arguments": ${JSON.stringify({ q: from(phrases), n: random(1e6) })}}`,
    () => mixed(EMOJI, words, SPACES),
    () => mixed(MARKS, words, SPACES),
    () => mixed(SPACES),
    () => mixed(SPACES, words, NUMBERS),
    () => mixed(NUMBERS, [' ', ',', '']),
    () => mixed(SPECIALS, words, SPACES),
    () => mixed(SPECIALS, CALLS, CODE),
    () => mixed(CONTROLS, words, SPACES),
    () => from(words).repeat(1 + random(12)),
    () => Array.from({ length: 3 + random(20) }, anywhere).join(''),
    () => Array.from({ length: 3 + random(10) }, () => anywhere() + from(['', ' ', '\n'])).join(''),
    () => `${from(words)}${from(["'s", "'T", "'ll", "'RE", '’s', "'ſ", "'"])} ${from(words)}`,
  ]
  const texts = new Set<string>()
  for (let i = 0; texts.size < size; i++) texts.add((makers[i % makers.length] as () => string)())
  return [...texts]
}
