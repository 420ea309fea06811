"""Whole replies by the reference that they state, in whatever words."""

import pytest

from rlenvs.verifiers import extract, verify

STATED = {
    "12": [
        "After simplification, we obtain the final result of $12$.",
        "Adding these gives 12.\n\nThe final answer is **12**.\n\nLet me know if you need more!",
        "**Final Answer:** The number of ways is $\\boxed{12}$.",
        "So, the answer is \\( \\boxed{12} \\).",
        "Thus the answer is\n\n\\[\n\\boxed{12}\n\\]\n",
        "Hence, our answer is $3 \\cdot 4 = \\boxed{12}$.",
        "The answer is 3 * 4 = 12.",
        "答：一共需要 12 天。",
        "最终答案：\n\n$$12$$",
        "所以，$x = 12$。",
        "我们得到 $x+y=12$，因此 $\\boxed{12}$ 即为所求。",
        "经检验，\\boxed{12} 是正确的。",
        "最后结果为 12。",
    ],
    "\\frac{3}{5}": [
        "The desired probability is $\\frac{6}{10} = \\boxed{\\frac{3}{5}}$.",
    ],
    "-3": [
        "The minimum value is \\boxed{-3}, attained at x = 1.",
    ],
    "2": [],
    "120": [
        "The volume is \\boxed{120\\text{ cm}^3}.",
    ],
    "C": [
        "Therefore the correct answer is **C**.",
        "The answer is **(C) 12**.",
        "Option C is correct.\n\nAnswer: C",
        "**C**",
        "(C)",
        "\\boxed{\\text{(C)}}",
        "\\boxed{\\textbf{(C)}\\ 12}",
        "The correct answer is option C.",
        "本题答案为 C。",
        "所以正确答案是（C）。",
        "综上，选 C.",
    ],
    "1/2": [
        "The answer is 1/2, that is, 0.5.",
        "The answer is \\frac{1}{2}.",
    ],
    "1234": [
        "Final Answer: 1,234",
    ],
    "1000": [],
    "25": [
        "She spent $25 in total.\n\n#### 25",
        "Total: $10 + $15 = $25\n\nAnswer: $25",
        "So he earns $25 in total.",
        "The answer is $25.00.",
    ],
    "25%": [
        "The probability is 25%, so the answer is 25%.",
    ],
    "7": [
        "Step 1: \\boxed{3}\n\nStep 2: \\boxed{4}\n\nFinal: \\boxed{7}",
        "The answer is 6. Oops, I miscounted, the answer is 7.",
        "Initially I thought the answer was 6, but the answer is 7.",
        "You might think the answer is 6, but it is actually \\boxed{7}.",
        "The final answer is 7 (not 6, since one is counted twice).",
        "**Step 3.** Hence $n=7$.\n\n**Answer: 7**",
        "Answer:\n\n7",
        "Therefore, $f(2)=7$.",
        "∴ x = 7",
        "So, the value of x is 7",
        "= 7",
        "7.",
        "**7**",
        "<answer>\n7\n</answer>",
        "<think>Is it 6? No, \\boxed{6} is wrong.</think>\n\n**7**",
        "The answer is $\\mathbf{7}$.",
    ],
    "(1,2)": [
        "The point is $\\boxed{(1, 2)}$.",
        "The answer is (1, 2).",
    ],
    "[1,2]": [
        "So the solution set is $[1, 2]$.",
    ],
    "\\{1,2\\}": [],
    "x^2": [
        "\\boxed{f(x) = x^2}",
    ],
    "2\\sqrt{3}": [
        "Thus the length is $2\\sqrt{3}$ cm.",
    ],
    "2, -2": [
        "Therefore $x = 2$ or $x = -2$.",
        "The answer is $x = \\pm 2$.",
    ],
    "a=1, b=2": [
        "Hence $a = 1$ and $b = 2$.",
    ],
    "yes": [
        "Answer: Yes",
    ],
    "Monday": [],
    "36": [
        "There are **36** possible outcomes.",
        "There are 36 ways.",
    ],
    "8": [
        "Let's solve it step by step.\n\n1. 3 + 5 = 8\n2. Check: 8 - 5 = 3.\n\nSo there are 8 of them.",
        "...\nTherefore there are 8 possible values for n.",
        "Therefore, n can take 8 values.\n\nAnswer: 8 values",
        "Hence the required number is 8.",
        "So the final value is 8.0.",
        "Finally, we get x = 8.",
        "This gives us $x = 8$.",
        "The answer: 8",
        "Final Answer\n8",
        "**Final Answer**\n$\\boxed{8}$",
        "Solution: We compute 2^3 = 8. The answer is 8.",
        "The answer is eight, \\boxed{8}.",
        "I am not sure about the second step, but the answer is 8.",
        "The answer is 8, not 9 as one may think.",
        "The answer is 8. (Note that 9 is not possible.)",
        "The answer is $8$. If $n$ were 4, it would be 16.",
        "\\boxed{8}\n\nIf we had 4 instead of 3, the answer would be 16.",
        "\\boxed{8}\n\nVerification: $2^3 = 8$. ✓",
        "\\boxed{8}\n\nTo check: 8 is not 9, so we are fine.",
        "The answer is \\boxed{8}. Let me verify this: $2 \\cdot 4 = 8$, so it is right.",
        "The answer is \\boxed{8}.\n\nWait, are negative ones meant? No. So \\boxed{8} is correct.",
        "The answer cannot be 9. So the answer is 8.",
        "My first guess was 9. The answer is 8.",
        "Is the answer 9? No. The answer is 8.",
        "Could it be 9? No, it can't. The answer is \\boxed{8}.",
        "The side lengths are 3, 4 and 5, hence the answer is 8.",
        "Answer: $x=8$ (the other root is negative)",
        "Answer: 8 (eight)",
        "The answer is 8 cm.",
        "The answer is: \n- 8",
        "Work...\n\n> **Answer: 8**",
        "the answer is 8\n\n---\n",
        "<answer>8</answer>\n\n(Explanation: 2^3 = 8.)",
        "<answer>x = 8</answer>",
        "解：由题意得 $2^3=8$。\n\n答案：8",
        "解：……\n因此，最小值为 $8$。",
        "故选 D。\n答案是 8。",
        "答案为：8。",
        "答案是：\\(8\\)",
        "答案等于8，因为2的三次方是8。",
        "答案不是9，而是8。",
    ],
    "B": [
        "A is too small and C is too large. The answer is B.",
        "The answer is B (the second option).",
        "Answer: **B) 12**",
        "B: because 12 is even",
        "Therefore, option (B) is the correct answer.\n\nAnswer: B",
        "答案选B",
        "选项B正确，所以答案是B。",
        "So (B) is the correct answer.\n\nThe answer is (B).",
    ],
    "x=1, y=2, z=3": [
        "$x=\\boxed{1}$, $y=\\boxed{2}$ and $z=\\boxed{3}$",
    ],
    "1, 2, 3": [
        "$\\boxed{1}$, $\\boxed{2}$ and $\\boxed{3}$",
    ],
    "1, 2": [
        "The solutions are:\n\\[ x_1 = \\boxed{1}, \\quad x_2 = \\boxed{2} \\]",
    ],
    "2, 1": [
        "The larger one is \\boxed{2} and the smaller one is \\boxed{1}.",
    ],
    "3": [
        "Tom has \\boxed{1} and Ann has \\boxed{2}, so together they have \\boxed{3}.",
        "We get \\boxed{1} + \\boxed{2} = \\boxed{3}.",
    ],
    "\\frac12": [
        "\\boxed{\\dfrac{1}{2}}, or 0.5.",
        "\\boxed{\\dfrac{1}{2}} (or 50\\%)",
    ],
    "0.5": [
        "The answer is $\\frac{1}{2}$ or 0.5.",
    ],
    "-2": [
        "So x is -2.",
    ],
    "1.5": [
        "So the total is $1.50.",
    ],
    "1000000": [
        "The answer is 1,000,000.",
    ],
    "(0, 1)": [],
    "y = 2x + 1": [
        "So the line is $y = 2x + 1$.",
        "Therefore, y = 2x + 1.",
    ],
    "5": [
        "Here is the answer: \\boxed{5}",
        "7 is not prime so the answer is \\boxed{5}.",
        "7 is not prime so the answer is 5.",
        "\\boxed{5} can be written as 2+3.",
        "What is the answer? The answer is 5.",
        "If we add both sides it is \\boxed{5}.",
        "It is not hard: the result is \\boxed{5}.",
        "We don't need more: it is \\boxed{5}.",
        "The probability that it does not rain is \\boxed{5}.",
        "The student said that it takes 3 hours, so it is \\boxed{5}.",
        "The value of x that is less than \\(6\\) is \\(5\\).",
        "The number of ways if the order matters is \\boxed{5}.",
        "Therefore the number of students who do not play is 5.",
        "The answer is 2 + 3 = 5, since both are needed.",
        "Therefore, she has 5 apples left.",
        "The minimum possible value is $5$, attained at $x=1$.\n\nThe answer is $5$.",
        "The distance is 5 km. Thus the time, at 1 km per hour, is 5 hours.",
        "Let's verify: 2+3 = 5, not 6. The answer is 5.",
        "### Final Answer:\n\n**5**",
        "Final Answer: The final answer is $5$. I hope it is correct.",
        "The final answer is $\\boxed{5}$. I hope it is correct.",
        "Therefore, \\[ x = 5. \\]",
        "\\boxed{5}\n\nThis could be checked with a computer: try 4 or 6 as well.",
        "\\boxed{5}\n\nOr in words: five.",
        "The answer is 5. You could also solve this with algebra: 2x = 10.",
        "The answer is 5. Now you can try the next problem with 7 apples.",
        "The answer is 5. But remember to add units.",
    ],
    "0": [
        "So there are no solutions. The answer is 0.",
    ],
    "no solution": [],
    "\\emptyset": [
        "So the answer is $\\emptyset$.",
    ],
    "D": [
        "Therefore the answer is D. None of the above.",
    ],
    "3\\pi": [
        "The area is $3\\pi$ square units.",
    ],
    "x \\le 3": [
        "So $x \\le 3$.",
    ],
    "x>8": [
        "Thus x > 8.",
    ],
    "(-\\infty,3]": [
        "The answer is $(-\\infty, 3]$.",
    ],
    "12:30": [],
    "2:3": [
        "The ratio is 2:3.",
    ],
    "100": [
        "The answer is 100%... that is, all 100 of them. The answer is 100.",
    ],
}


@pytest.mark.parametrize(("gold", "reply"), [(gold, reply) for gold, replies in STATED.items() for reply in replies])
def test_an_answer_is_found_however_it_is_stated(gold: str, reply: str) -> None:
    assert verify(gold, extract(reply)) == "equal", extract(reply)
