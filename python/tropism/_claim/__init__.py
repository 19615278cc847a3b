"""Claims of one's own: a statement, how instances are drawn, and the judge of each.

    judge.py    comparisons with allowances, and what is true, false or open
    case.py     the entries of an instance, in memory and in a file
    claim.py    a claim and one instance from its draw to its verdict
    workers.py  instances side by side, in processes or threads
    check.py    many instances, counted in their order
    search.py   counterexamples by changing what draw draws, and shrinking
    result.py   what a check tells
    page.py     its report and picture
    find.py     where a claim is defined, and how it is found again
"""
