"""How a statement of the answer begins: "the answer is", "Answer:", `####`, "I choose", "option B is correct".

The alternatives are grouped by how they begin, so that at most places of a text all of them fail at once.
"""

import re

from rlenvs.verifiers.replies.plain_values import CHOICE

_VALUE_FOLLOWS = rf"(?=[\s*_`:]*(?:[-−+]?[\d$\\(\[{{√π]|[a-zA-Z]\s*=|\(?{CHOICE}\)?(?![a-zA-Z])))"
_EMPHASIS = r"[*_`]{0,3}"
_FILLER = (
    r"(?: (?:therefore|then|thus|hence|so|simply|just|clearly|now|indeed|equal to|given by|exactly|precisely"
    r"|approximately|about|around|roughly|(?:most )?likely|probably|presumably)(?![a-z]),?)?"
)
_WORDS = (
    rf"(?:answers?|(?:correct |right |best |my )(?:option|choice)){_EMPHASIS}"
    rf"(?: (?:is|are)(?![a-z'’]){_FILLER}(?: (?:option|choice)(?= \(?{CHOICE}\b))?|\s*[:=])"
    rf"|(?:solutions?|results?){_EMPHASIS}(?: (?:is|are|=)(?![a-z'’])|\s*[:=]{_VALUE_FOLLOWS})"
    rf"|(?:answer|result) (?:comes out (?:to|as|at)|(?:must|should|has to|will) be(?: equal to)?){_VALUE_FOLLOWS}"
    r"|final answer[*_:]{0,5}\s*\n"
    r"|(?:(?:I|we)(?: will| would|['’]ll|['’]d)?|let['’]s) (?:choose|pick|select|answer|go with|opt for)"
    rf"(?: option| choice| answer)?(?=[\s*(]{{0,4}}{CHOICE}[*)]{{0,3}}(?:\s*(?:[.!:]|\Z|\n)|,? (?:because|since|as)\b))"
)
_MARKS = (
    rf"####(?:(?!\s*\d{{1,2}}[.)] \S[^\n]*\n){_VALUE_FOLLOWS}|(?=[^\n]{{1,100}}\s{{0,20}}\Z))"
    rf"|\|\s*\**(?:final )?answer\**\s*\||,[ \t]*选择?[:：]?(?=\s*[*$(（]*{CHOICE})"
)
_LINES = (
    r"[#*_ ]{1,8}(?:the )?answer[*_:#]{0,5}[ \t]*\n"
    rf"|[#*_ ]{{0,8}}(?:ans{_EMPHASIS}\s*[.:=]{{1,2}}|(?:the )?(?:final )?answer{_EMPHASIS} +[-–—]\s+){_VALUE_FOLLOWS}"
    rf"|[#*_ ]{{0,8}}(?:the )?(?:final )?answer{_EMPHASIS} {{1,3}}(?=\$|\\\(|\\boxed)"
    rf"|[#*_ ]{{0,8}}(?:antwort|respuesta|r[ée]ponse|resposta|risposta|ответ|답|答え?)(?: finale?)?{_EMPHASIS}\s*[:：]"
    rf"|[ \t]*选择?[:：]?(?=\s*[*$(（]*{CHOICE})"
)
_QUESTION_AND_ANSWER = (  # alone, "A: 12 km" is a choice
    r"(?:\A|^q(?:uestion)?: [^\n]+\n{1,2})[*_ ]{0,4}(?-i:A)[*_]{0,2}:"
    r"(?=[*_ ]*[$\\]{0,2}[-−]?\d[\d.,]{0,40}[\s$*_%.]{0,20}\Z)"
)
_CHINESE = (
    rf"答案\**(?:应该|应当|应)?(?:是|为|等于|选|[:：])[:：]?|结果(?:是|为|等于){_VALUE_FOLLOWS}|解得"
    rf"|(?:故|应|因此|所以|本题|正确选项[是为]|[，。；])[ \t]*选择?[:：]?(?=\s*[*$(（]*{CHOICE})"
)
_IS_RIGHT = (
    r"(?: (?:is|must be)(?: clearly)?(?:(?: the| our| my)? (?:correct|right|best)"
    r"(?: (?:answer|option|choice|one))?| (?:the|our|my) answer)"
    r"|\s*也?是?正确的?)(?=[\s*]*(?:[.!。，]|\Z|\n|,? (?:because|since|as|for)\b))"
)
_LETTER = (
    r"(?:(?<=option )|(?<=choice )|(?<=answer )|(?<=therefore )|(?<=thus )|(?<=hence )|(?<=so )"
    r"|(?<=选项)|(?<![A-J], )(?<![A-J]\), )(?<=[,.:] )|^)"
    rf"[*(]{{0,3}}(?P<letter>{CHOICE})[*)]{{0,3}}{_IS_RIGHT}"
)
ANCHOR = re.compile(
    rf"(?<![a-zA-Z])(?=[abcfilmrsw])(?:{_WORDS})|(?=[#|,])(?:{_MARKS})|^(?:{_LINES})|{_QUESTION_AND_ANSWER}"
    rf"|(?=[^\x00-\x7f])(?:{_CHINESE})|(?-i:(?=[*(A-J])){_LETTER}",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands before an answer; the answer follows, or is the group `letter`."""
